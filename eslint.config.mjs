import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import jsxAccessibility from 'eslint-plugin-jsx-a11y-x';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: ['dist/', 'node_modules/', 'coverage/', '.lucarne/'],
  },
  {
    // AssemblyScript looks like TypeScript and is another language: there is nothing in it to lint, also where it is named.
    files: ['src/platform/crypto/*/assembly/*.ts'],
    processor: { preprocess: () => [], postprocess: () => [] },
  },
  js.configs.recommended,
  {
    files: [
      'src/**/*.ts',
      'devnet/**/*.ts',
      'test/**/*.ts',
      'bench/**/*.ts',
      'scripts/**/*.ts',
      'simulation/**/*.ts',
    ],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // A class that only carries decorated fields is how type-graphql states a type.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Exports are named.' },
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only src/app/configuration reads the environment.',
        },
        {
          selector: "NewExpression[callee.name='WeakMap'] TSTypeReference[typeName.name='FastifyRequest']",
          message: 'A value of a request is kept with OfRequest, which says why.',
        },
      ],
    },
  },
  {
    files: ['src/app/configuration/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['portal/**/*.{ts,tsx}'],
    extends: [
      tseslint.configs.strict,
      reactHooks.configs.flat.recommended,
      jsxAccessibility.configs['flat/recommended'] ?? jsxAccessibility.configs.recommended,
    ],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      // A person came for this field: react-aria puts the focus into the dialog's first one.
      'jsx-a11y-x/no-autofocus': 'off',
      // Scrolling regions and raw entries are reached by keyboard.
      'jsx-a11y-x/no-noninteractive-tabindex': 'off',
      'no-eval': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Exports are named.' },
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML'], JSXAttribute[name.name='srcDoc']",
          message: 'Text never becomes markup.',
        },
        {
          selector: 'AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]',
          message: 'Text never becomes markup.',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly' },
    },
  },
);
