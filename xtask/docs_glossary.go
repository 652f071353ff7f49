package main

import (
	"fmt"
	"slices"
	"strings"
)

// glossary lists the vocabulary, file by file, with the first sentence of each
// word.
func glossary(root string) (string, error) {
	v, err := readVocabulary(root, "protocol")
	if err != nil {
		return "", err
	}
	var files []string
	for _, e := range v.types {
		files = append(files, e.file)
	}
	for _, g := range v.loose {
		files = append(files, g.file)
	}
	slices.Sort(files)
	var b strings.Builder
	b.WriteString("# Glossary\n\n" + generated + "The words of package `protocol`, file by file: types, and under them their constants as they stand on the wire.\n")
	for _, file := range slices.Compact(files) {
		fmt.Fprintf(&b, "\n## %s\n\n", strings.TrimSuffix(file, ".go"))
		for _, e := range v.types {
			if e.file == file {
				fmt.Fprintf(&b, "- **%s**: %s\n", e.name, firstSentence(e.doc))
				b.WriteString(listed(e.words))
			}
		}
		for _, g := range v.loose {
			if g.file == file {
				fmt.Fprintf(&b, "- %s\n", orElse(firstSentence(g.doc), "Constants."))
				b.WriteString(listed(g.words))
			}
		}
	}
	return b.String(), nil
}

// listed writes constants one a line below what they belong to.
func listed(words []word) string {
	var b strings.Builder
	for _, w := range words {
		fmt.Fprintf(&b, "  - %s `%s`", w.name, w.value)
		if w.doc != "" {
			fmt.Fprintf(&b, ": %s", firstSentence(w.doc))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
