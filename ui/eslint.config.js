import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'

export default ts.config(
  { ignores: ['node_modules'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    rules: {
      complexity: ['error', 10],
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', 60],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'SvelteAttribute[key.name="style"]',
          message: 'the content policy forbids it: use style:property',
        },
        { selector: 'SvelteMustacheTag[kind="raw"]', message: 'log text is never HTML' },
        {
          selector: 'MemberExpression[property.name=/^(inner|outer)HTML$/]',
          message: 'log text is never HTML',
        },
      ],
      'svelte/no-at-html-tags': 'error',
      eqeqeq: 'error',
      // Parameters of an address are read and written, never changed.
      'svelte/prefer-svelte-reactivity': 'off',
      'no-control-regex': 'off',
    },
  },
  { files: ['**/*.svelte', '**/*.svelte.ts'], languageOptions: { parserOptions: { parser: ts.parser } } },
)
