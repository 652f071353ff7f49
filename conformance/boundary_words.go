package conformance

import (
	"strings"
	"unicode"
)

// maxPlainString is the longest constant string of the trusted base, in bytes.
// Reasons and messages are shorter; prose for a model is longer.
const maxPlainString = 240

// vendors are expressions for the names of companies, families of models and
// services. They are looked for inside words, with hyphens and underscores taken
// out.
func vendors() []string {
	return []string{
		"openai", "chatgpt", "gpt", "anthropic", "claude", "gemini", "vertexai", "mistral", "mixtral", "llama", "deepseek", "qwen", "grok",
		`coher(?:e\b|eai)`, "bedrock", "groq", "openrouter", "huggingface", "perplexity", "azure", "sagemaker", "watsonx", "vllm", "copilot",
		"moonshot", "kimi", "zhipu", "chatglm", "doubao", "togetherai", "nvidia", "codestral", "sonnet", "haiku",
	}
}

// promptSigns are expressions for what only a text for a model says.
func promptSigns() []string {
	return []string{
		`(?i)\byou are (a|an|the|my|our|now|not)\b`, `(?i)\byou (must|should|will|can|have to|may) `, `(?i)\byour (task|job|role|goal|answer|response)\b`,
		`(?i)\bas an (ai|assistant|agent|expert)\b`, `(?i)\bsystem prompt\b`, `(?i)\bstep[- ]by[- ]step\b`, `(?i)\b(respond|reply|answer) (only|with|in)\b`,
		`(?i)\b(ignore|disregard|forget) (all|any|the|previous|prior)\b`, `(?i)\blet'?s think\b`, `(?i)\bhelpful assistant\b`,
		`(?i)^\s*(system|user|assistant|human|ai)\s*:`, `(?i)<\|?(im_start|im_end|system|user|assistant|endoftext|eot)`,
		`\[/?INST\]`, `<<SYS>>`, `(?i)^#+ *(instruction|context|task|example|input|output|response)`, `(?i)\bfew[- ]shot\b`,
		`(?i)\buse the following\b`, `(?i)\b(the )?following (tools|context|documents|conversation)\b`,
	}
}

// trainingWords are words of training and activation, as they stand in names.
func trainingWords() []string {
	return []string{
		"train", "trains", "trained", "training", "trainer", "finetune", "finetuned", "finetuning", "gradient", "gradients", "reward", "rewards",
		"backprop", "optimizer", "optimiser", "learner", "reinforce", "activate", "activates", "activated", "activation", "promote", "promotes",
		"promoted", "promotion", "evolve", "evolved", "evolution", "mutator", "bandit", "canary",
	}
}

// words cuts a name or a text into lower-case words: at everything that is no
// letter or digit, and where a name's capitals begin a new one ("MCPServer" is
// mcp and server).
func words(text string) []string {
	runes := []rune(text)
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if i > 0 && unicode.IsUpper(r) {
			afterSmall := !unicode.IsUpper(runes[i-1])
			beforeSmall := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterSmall || beforeSmall {
				flush()
			}
		}
		word.WriteRune(r)
	}
	flush()
	return out
}
