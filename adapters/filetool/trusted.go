package filetool

import (
	"path/filepath"
	"strings"
	"unicode"
)

// trustBearing tells whether a file is later trusted by something: version
// control, continuous integration, build recipes, instructions to agents, our own
// settings. Writing one is TrustMutating, under whatever spelling.
func trustBearing(rel string) bool {
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i, raw := range parts {
		name := folded(raw)
		last := i == len(parts)-1
		switch name {
		case ".git", "git~1", ".hg", ".svn", ".husky", ".circleci", ".ci", ".buildkite", ".vscode", ".idea", ".cursor", ".claude", ".codex", ".devcontainer", ".tipstaff":
			return true
		case ".github":
			return true
		case "hooks", "objects", "refs": // the inside of a repository without a .git of its own
			if i > 0 && !last && name == "hooks" {
				return true
			}
		}
		if last && trustedName(name) {
			return true
		}
	}
	return false
}

func trustedName(name string) bool {
	switch name {
	case "agents.md", "claude.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules",
		".mcp.json", "mcp.json", ".gitmodules", ".gitattributes", ".gitconfig", ".envrc", ".npmrc", ".yarnrc", ".pypirc",
		".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml", ".drone.yml",
		"jenkinsfile", "dockerfile", "containerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml",
		"makefile", "gnumakefile", "package.json", "setup.py", "pyproject.toml", "build.gradle", "pom.xml", "cargo.toml", "build.rs",
		".pre-commit-config.yaml", "lefthook.yml", ".bashrc", ".profile", ".zshrc", ".bash_profile", "authorized_keys",
		"tipstaff.toml", "fsm.toml", "sandbox.toml":
		return true
	}
	return strings.HasPrefix(name, "dockerfile.")
}

// folded undoes what file systems undo: case, characters nobody sees, dots and
// blanks at the end of a name, and what follows a colon.
func folded(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r), unicode.IsControl(r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ToLower(r)
	}, name)
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimRight(name, ". ")
}
