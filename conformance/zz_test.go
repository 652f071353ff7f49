package conformance

import (
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	t0 := time.Now()
	f, err := Purity("..")
	for _, x := range f {
		t.Log(x)
	}
	t.Log(err, time.Since(t0))
	for _, p := range FrozenPackages() {
		l, err := NewLoader().API("..", p)
		for _, x := range l {
			t.Log(x)
		}
		t.Log(err)
	}
}
