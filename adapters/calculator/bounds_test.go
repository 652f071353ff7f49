package calculator

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestBounds meets every bound exactly and then steps over it.
func TestBounds(t *testing.T) {
	repeat := strings.Repeat
	for _, c := range []struct{ name, within, beyond string }{
		{"bytes", repeat(" ", MaxBytes-1) + "1", repeat(" ", MaxBytes) + "1"},
		{"parentheses", repeat("(", MaxDepth) + "1" + repeat(")", MaxDepth), repeat("(", MaxDepth+1) + "1" + repeat(")", MaxDepth+1)},
		{"calls", repeat("abs(", MaxDepth) + "1" + repeat(")", MaxDepth), repeat("abs(", MaxDepth+1) + "1" + repeat(")", MaxDepth+1)},
		{"signs", repeat("-", MaxDepth) + "1", repeat("-", MaxDepth+1) + "1"},
		{"powers", repeat("1**", MaxDepth) + "1", repeat("1**", MaxDepth+1) + "1"},
		{"arguments", "max(" + repeat("1,", MaxArguments-1) + "1)", "max(" + repeat("1,", MaxArguments) + "1)"},
		{"literal", repeat("9", MaxDigits), repeat("9", MaxDigits+1)},
		{"literal decimals", "." + repeat("1", MaxDigits-1), "." + repeat("1", MaxDigits)},
		{"leading zeros", repeat("0", MaxDigits), repeat("0", MaxDigits+1)},
		{"literal exponent", fmt.Sprintf("1e%d", MaxDigits-1), fmt.Sprintf("1e%d", MaxDigits)},
		{"exponent", fmt.Sprintf("0e%d", MaxExponent), fmt.Sprintf("0e%d", MaxExponent+1)},
		{"small exponent", fmt.Sprintf("0e-%d", MaxExponent), fmt.Sprintf("0e-%d", MaxExponent+1)},
		{"small literal", fmt.Sprintf("1e-%d", MaxDigits-1), fmt.Sprintf("1e-%d", MaxDigits)},
		{"digits of a sum", repeat("9", MaxDigits) + "-1", repeat("9", MaxDigits) + "+1"},
		{"digits of a power", fmt.Sprintf("10**%d", MaxDigits-1), fmt.Sprintf("10**%d", MaxDigits)},
		{"decimals of a power", fmt.Sprintf("0.1**%d", MaxDigits-1), fmt.Sprintf("0.1**%d", MaxDigits)},
		{"places", fmt.Sprintf("round(1,%d)", MaxPlaces), fmt.Sprintf("round(1,%d)", MaxPlaces+1)},
		{"places before", fmt.Sprintf("round(1,-%d)", MaxPlaces), fmt.Sprintf("round(1,-%d)", MaxPlaces+1)},
		{"work", repeat("1+", MaxWork) + "1", repeat("1+", MaxWork+1) + "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v, err := Evaluate(context.Background(), c.within); err != nil || len(v) > MaxDigits+len("-.") {
				t.Errorf("within the bound: %d bytes, %v", len(v), err)
			}
			v, err := Evaluate(context.Background(), c.beyond)
			var bad *Error
			if !errors.As(err, &bad) || bad.Class != Limit {
				t.Errorf("beyond the bound: %.40q, %v", v, err)
			}
		})
	}
}

// heavy are the dearest expressions that fit MaxBytes, by what they repeat.
func heavy() []string {
	fill := func(head, unit string) string {
		return head + strings.Repeat(unit, (MaxBytes-len(head)-1)/len(unit)) + "1"
	}
	nines := strings.Repeat("9", MaxDigits-1)
	return []string{
		fill("", "9**999+"), fill("", "2**3300%7+"), fill("", "1.1**-999+"), fill("", "5**-999+"), fill("", "(0.5**999*2**999)+"),
		fill("", "2**.5+"), fill("", "1e999**.999+"), fill("", "3**999.5+"), fill("", "1.5**2001+"), fill("", "(1+1e-900)**.5+"),
		fill("", "exp(999)+"), fill("", "exp(-2200)+"), fill("", "ln(7)+"), fill("", "ln(1e-999)+"), fill("", "log(2**3300)+"), fill("", "sqrt(2**3300)+"),
		fill("", "1e999%7+"), fill("", "1e999%1e-999+"), fill("", "1e499//1e-499*0+"), fill("", "round(1e899,99)+"), fill("", "1/3e9+"),
		fill(nines, "*1"), fill(nines, "//1"), fill(nines, "+.0"), fill("("+nines+")", "**1"), "(" + nines + ")**1.1", "exp(-." + nines + ")", "ln(" + nines + ".1)",
		"max(" + strings.Repeat("9**999,", MaxArguments-1) + "1)", "avg(" + strings.Repeat("1e-999,", MaxArguments-1) + "1)",
		strings.Repeat("ln(", MaxDepth) + "1e999" + strings.Repeat(")", MaxDepth),
	}
}

// TestMemory: no expression passes more than 16 MiB through, kept or not, and
// none does more than MaxWork.
func TestMemory(t *testing.T) {
	const most = 16 << 20
	for _, expression := range heavy() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := &parser{ctx: context.Background(), lex: lexer{src: expression}}
		_, err := p.expression()
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > most || p.work > MaxWork {
			t.Errorf("%.40s: %d bytes and %d units of work, %v", expression, used, p.work, err)
		}
	}
}

// TestShortMessages: an error does not repeat the expression.
func TestShortMessages(t *testing.T) {
	const most = 200
	for _, expression := range append(heavy(), strings.Repeat("a", 5000), "1 "+strings.Repeat("2", 900), strings.Repeat("f", 5000)+"(1)") {
		if _, err := Evaluate(context.Background(), expression); err != nil && len(err.Error()) > most {
			t.Errorf("%.40s: a message of %d bytes", expression, len(err.Error()))
		}
	}
}
