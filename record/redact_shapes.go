package record

import "strings"

// shape is a kind of token that is known by how it begins.
type shape struct {
	prefix string
	kind   string
	// least is how many bytes of the alphabet follow at least; digits says
	// that one of them is a digit, so that words are not taken for keys.
	least  int
	digits bool
	extra  string // what its alphabet has besides letters and digits
}

// shapes lists the tokens of the field, longest prefix first where one begins
// with another.
func shapes() [40]shape {
	return [...]shape{
		{"sk-ant-", "anthropic_key", 20, false, "-_"},
		{"sk-proj-", "openai_key", 20, false, "-_"},
		{"sk-svcacct-", "openai_key", 20, false, "-_"},
		{"sk-or-v1-", "openrouter_key", 20, false, "-_"},
		{"sk-", "openai_key", 20, true, "-_"},
		{"sk_live_", "stripe_key", 10, false, ""},
		{"sk_test_", "stripe_key", 10, false, ""},
		{"rk_live_", "stripe_key", 10, false, ""},
		{"rk_test_", "stripe_key", 10, false, ""},
		{"whsec_", "stripe_secret", 16, false, "+/="},
		{"github_pat_", "github_token", 20, false, "_"},
		{"ghp_", "github_token", 20, false, ""},
		{"gho_", "github_token", 20, false, ""},
		{"ghu_", "github_token", 20, false, ""},
		{"ghs_", "github_token", 20, false, ""},
		{"ghr_", "github_token", 20, false, ""},
		{"glpat-", "gitlab_token", 16, false, "-_"},
		{"xoxb-", "slack_token", 10, false, "-"},
		{"xoxp-", "slack_token", 10, false, "-"},
		{"xoxa-", "slack_token", 10, false, "-"},
		{"xoxs-", "slack_token", 10, false, "-"},
		{"xapp-", "slack_token", 10, false, "-"},
		{"AKIA", "aws_key_id", 16, false, ""},
		{"ASIA", "aws_key_id", 16, true, ""},
		{"AIza", "google_key", 30, false, "-_"},
		{"ya29.", "google_token", 20, false, "-_"},
		{"GOCSPX-", "google_secret", 16, false, "-_"},
		{"hf_", "huggingface_token", 20, false, ""},
		{"npm_", "npm_token", 30, false, ""},
		{"pypi-", "pypi_token", 30, false, "-_"},
		{"SG.", "sendgrid_key", 20, false, "-_."},
		{"dop_v1_", "digitalocean_token", 32, false, ""},
		{"EAAC", "facebook_token", 40, false, ""},
		{"shpat_", "shopify_token", 20, false, ""},
		{"dckr_pat_", "docker_token", 16, false, "-_"},
		{"hvs.", "vault_token", 20, false, "-_"},
		{"lin_api_", "linear_key", 20, false, ""},
		{"gsk_", "groq_key", 20, false, ""},
		{"xai-", "xai_key", 20, true, "-_"},
		{"eyJ", "jwt", 20, false, "-_."},
	}
}

// findTokens looks for tokens by their beginnings.
func findTokens(spans []span, s string) []span {
	if !hasRun(s) {
		return spans
	}
	for _, sh := range shapes() {
		for at := 0; ; {
			i := strings.Index(s[at:], sh.prefix)
			if i < 0 {
				break
			}
			from := at + i
			to, ok := sh.match(s, from)
			if ok {
				spans = append(spans, span{from, to, sh.kind})
			}
			at = max(to, from+1)
		}
	}
	return spans
}

// shortestToken is the length of the shortest token of any shape.
const shortestToken = 15

// hasRun tells whether a text has room for a token at all: most has not, and
// then it need not be searched.
func hasRun(s string) bool {
	run := 0
	for i := range len(s) {
		if !wordByte(s[i]) && s[i] != '-' && s[i] != '.' && s[i] != '=' && s[i] != '/' && s[i] != '+' {
			run = 0
			continue
		}
		if run++; run >= shortestToken {
			return true
		}
	}
	return false
}

func (sh shape) match(s string, from int) (to int, ok bool) {
	to = from + len(sh.prefix)
	if from > 0 && sh.needsBoundary() && wordByte(s[from-1]) && !escapeBefore(s, from) {
		return to, false
	}
	digit := !sh.digits
	for to < len(s) && (wordByte(s[to]) && s[to] != '_' || strings.IndexByte(sh.extra, s[to]) >= 0) {
		digit = digit || s[to] >= '0' && s[to] <= '9'
		to++
	}
	tail := s[from+len(sh.prefix) : to]
	if sh.kind == "jwt" && strings.Count(tail, ".") < 2 {
		return to, false
	}
	return to, digit && len(tail) >= sh.least
}

// needsBoundary tells whether a beginning is so short that it also stands inside
// ordinary words.
func (sh shape) needsBoundary() bool {
	return len(sh.prefix) <= 4 && !strings.HasSuffix(sh.prefix, "_")
}

// escapeBefore tells whether the letter before is the end of a JSON escape, as
// in "\nsk-…".
func escapeBefore(s string, from int) bool { return from >= 2 && s[from-2] == '\\' }

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// findBlocks looks for private keys in PEM form, also cut off at their end.
func findBlocks(spans []span, s string) []span {
	const begin, end = "-----BEGIN ", "-----END "
	for at := 0; ; {
		i := strings.Index(s[at:], begin)
		if i < 0 {
			return spans
		}
		from := at + i
		label, _, _ := strings.Cut(s[from+len(begin):], "-----")
		at = from + len(begin)
		if len(label) > 64 || !strings.Contains(label, "PRIVATE KEY") {
			continue
		}
		to := len(s)
		if j := strings.Index(s[at:], end); j >= 0 {
			to = at + j + len(end)
			if _, rest, ok := strings.Cut(s[to:], "-----"); ok {
				to = len(s) - len(rest)
			} else {
				to = len(s)
			}
		}
		spans = append(spans, span{from, to, "private_key"})
		at = to
	}
}

// maxAddressBytes bounds how far an address is read for its password, and
// maxHeaderBytes how far a header is read: so that hostile text costs no more
// than its length.
const (
	maxAddressBytes = 4 << 10
	maxHeaderBytes  = 16 << 10
)

// findUserinfo looks for passwords in addresses: scheme://user:password@host.
func findUserinfo(spans []span, s string) []span {
	blank, clear := -1, 0 // where the next blank is, and up to where there is no @
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			return spans
		}
		from := at + i + 3
		at = from
		if blank < from {
			blank = len(s)
			if i := strings.IndexAny(s[from:], " \t\n\r\"'<>`"); i >= 0 {
				blank = from + i
			}
		}
		end := min(blank, from+maxAddressBytes)
		if clear = max(clear, from); clear >= end || strings.IndexByte(s[clear:end], '@') < 0 {
			clear = end
			continue
		}
		host := from + strings.LastIndexByte(s[from:end], '@')
		colon := strings.IndexByte(s[from:host], ':')
		if colon < 0 || from+colon+1 == host {
			continue
		}
		spans = append(spans, span{from + colon + 1, host, "password"})
		at = end
	}
}

// secretName tells by a member's or variable's name what its value is; empty
// when it is nothing secret.
func secretName(name string) string {
	const longest = 64
	if len(name) == 0 || len(name) > longest {
		return ""
	}
	var folded [longest]byte
	n := 0
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c == '_' || c == '-' || c == '.' || c == ' ':
			continue
		}
		folded[n] = c
		n++
	}
	word := string(folded[:n])
	for _, k := range [...][2]string{
		{"password", "password"},
		{"passwd", "password"},
		{"passphrase", "password"},
		{"pwd", "password"},
		{"pgpass", "password"},
		{"apikey", "api_key"},
		{"secretaccesskey", "secret"},
		{"secretkey", "secret"},
		{"clientsecret", "secret"},
		{"secret", "secret"},
		{"privatekey", "private_key"},
		{"token", "token"},
		{"signature", "signature"},
		{"authorization", "authorization"},
		{"cookie", "cookie"},
		{"accountkey", "secret"},
		{"accesskey", "secret"},
		{"sharedaccesskey", "secret"},
	} {
		if strings.HasSuffix(word, k[0]) {
			return k[1]
		}
	}
	return ""
}

// secretValue tells whether a value is one, and not a placeholder or
// something too short to be worth it.
func secretValue(kind, v string) bool {
	least := 8
	if kind == "password" {
		least = 4
	}
	if len(v) < least || strings.HasPrefix(v, "${") || strings.HasPrefix(v, "$(") || strings.HasPrefix(v, "<") || strings.HasPrefix(v, "{{") {
		return false
	}
	return strings.Trim(v, "*x.") != "" && (kind == "password" || strings.Trim(v, "0123456789.") != "")
}

// findAssigned looks for values given to secret names: password=…, X-Api-Key: …,
// "token":"…", Authorization: Bearer …, cookies.
func findAssigned(spans []span, s string) []span {
	for i := 0; i < len(s); i++ {
		if s[i] == '[' && strings.HasPrefix(s[i:], markerStart) {
			if to, ok := markerEnd(s, i); ok {
				i = to - 1
			}
			continue
		}
		if s[i] != '=' && s[i] != ':' {
			continue
		}
		kind := secretName(nameBefore(s, i))
		if kind == "" {
			continue
		}
		from := i + 1
		for from < len(s) && (s[from] == ' ' || s[from] == '"' || s[from] == '\'' || s[from] == '\\') {
			from++
		}
		switch kind {
		case "cookie":
			spans, i = findCookies(spans, s, from)
			continue
		case "authorization":
			if word, rest, ok := strings.Cut(s[from:min(len(s), from+64)], " "); ok && wordsOnly(word) {
				from += len(word) + 1 + len(rest) - len(strings.TrimLeft(rest, " "))
			}
		}
		to := valueEnd(s, from)
		if secretValue(kind, s[from:to]) {
			spans = append(spans, span{from, to, kind})
			i = to - 1
		}
	}
	return spans
}

// namesSecret tells whether any name in a text says that its value is secret.
func namesSecret(s string) bool {
	for i := 1; i < len(s); i++ {
		if (s[i] == ':' || s[i] == '=') && secretName(nameBefore(s, i)) != "" {
			return true
		}
	}
	return false
}

func wordsOnly(s string) bool {
	for i := range len(s) {
		if !wordByte(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// nameBefore is the name that stands before a '=' or ':'.
func nameBefore(s string, at int) string {
	to := at
	for to > 0 && (s[to-1] == ' ' || s[to-1] == '"' || s[to-1] == '\'' || s[to-1] == '\\') {
		to--
	}
	from := to
	for from > 0 && to-from < 64 && (wordByte(s[from-1]) || s[from-1] == '-' || s[from-1] == '.') {
		from--
	}
	return s[from:to]
}

func valueEnd(s string, from int) int {
	if i := strings.IndexAny(s[from:], " \t\n\r\"'\\&;,<>`)}"); i >= 0 {
		return from + i
	}
	return len(s)
}

// findCookies takes the values out of a cookie header, which ends with its line,
// and says where that is.
func findCookies(spans []span, s string, from int) ([]span, int) {
	line := s[from:min(len(s), from+maxHeaderBytes)]
	if i := strings.IndexAny(line, "\n\r\""); i >= 0 {
		line = line[:i]
	}
	begin := from
	for pair := range strings.SplitSeq(line, ";") {
		name, value, ok := strings.Cut(pair, "=")
		at := begin + len(name) + 1
		begin += len(pair) + 1
		const leastCookie = 12 // a theme or a language is not a session
		if ok && len(value) >= leastCookie {
			spans = append(spans, span{at, at + len(value), "cookie"})
		}
	}
	return spans, from + max(len(line), 1) - 1
}
