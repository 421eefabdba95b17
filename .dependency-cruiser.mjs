// The rooms and who may enter whom. A file may import its own room and what is below it; design in ARCHITECTURE.md.
const infrastructure = ['kernel', 'crypto', 'ledger', 'database'];
const features = [
  'activity-log',
  'organizations',
  'auditors-log',
  'assets',
  'transactions',
  'disclosures',
  'checks',
  'cases',
  'relays',
  'indexer',
  'reports',
];
const error = 'error';
const anyOf = (rooms) => `^src/(${rooms.join('|')})/`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: error, from: {}, to: { circular: true } },
    {
      name: 'kernel-is-a-leaf',
      severity: error,
      from: { path: '^src/kernel/' },
      to: { path: '^src/', pathNot: '^src/kernel/' },
    },
    {
      name: 'crypto-is-a-leaf',
      severity: error,
      from: { path: '^src/crypto/' },
      to: { path: '^src/', pathNot: '^src/(crypto|kernel)/' },
    },
    {
      name: 'crypto-does-no-network-or-files',
      comment: 'But for its own WebAssembly module, and the table that it keeps.',
      severity: error,
      from: { path: '^src/crypto/', pathNot: '^src/crypto/amount-kernel/kernel-files\\.ts$' },
      to: { path: '^(node:)?(fs|net|http|https|dns|tls|child_process)(/|$)', dependencyTypes: ['core'] },
    },
    {
      name: 'the-ledger-knows-no-database',
      severity: error,
      from: { path: '^src/ledger/' },
      to: { path: '^src/', pathNot: '^src/(ledger|crypto|kernel)/' },
    },
    {
      name: 'the-database-knows-no-feature',
      severity: error,
      from: { path: '^src/database/' },
      to: { path: '^src/', pathNot: '^src/(database|crypto|kernel)/' },
    },
    ...features.map((feature, index) => ({
      name: `${feature}-looks-down-only`,
      severity: error,
      from: { path: `^src/${feature}/` },
      to: { path: '^src/', pathNot: anyOf([...infrastructure, ...features.slice(0, index + 1)]) },
    })),
    {
      name: 'enter-a-room-through-its-index',
      severity: error,
      from: { path: '^src/([^/]+)/' },
      to: {
        path: anyOf([...infrastructure.slice(1), ...features, 'graphql', 'rest', 'localnet', 'operations']),
        pathNot: ['^src/$1/', '/index\\.ts$'],
      },
    },
    {
      name: 'enter-a-room-through-its-index-from-the-top',
      severity: error,
      from: { path: '^src/[^/]+\\.ts$' },
      to: {
        path: anyOf([...features, 'graphql', 'rest', 'localnet', 'operations']),
        pathNot: '/index\\.ts$',
      },
    },
    {
      name: 'graphql-knows-no-feature-but-who-calls',
      severity: error,
      from: { path: '^src/graphql/' },
      to: { path: '^src/', pathNot: '^src/(graphql|organizations|kernel)/' },
    },
    {
      name: 'rest-speaks-graphql-only',
      comment: 'A REST route is a named GraphQL operation; it never reaches a feature.',
      severity: error,
      from: { path: '^src/rest/' },
      to: { path: '^src/', pathNot: '^src/(rest|graphql|kernel)/' },
    },
    {
      name: 'operations-knows-no-feature',
      severity: error,
      from: { path: '^src/operations/' },
      to: { path: '^src/', pathNot: '^src/(operations|database|crypto|kernel)/' },
    },
    {
      name: 'nothing-below-the-application-imports-it',
      severity: error,
      from: { path: '^src/[^/]+/', pathNot: '^src/cli/' },
      to: { path: '^src/(app|main|schema)\\.ts$|^src/cli/' },
    },
    {
      name: 'state-tables-are-pure',
      severity: error,
      from: { path: '-(state|rules)\\.ts$' },
      to: { dependencyTypes: ['npm', 'core'] },
    },
    {
      name: 'type-graphql-stays-in-resolvers',
      severity: error,
      from: { path: '^src/', pathNot: '\\.(resolver|type)\\.ts$|^src/graphql/' },
      to: { path: 'node_modules/type-graphql/' },
    },
    {
      name: 'the-orm-stays-in-entities-and-the-database',
      severity: error,
      from: { path: '^src/', pathNot: '\\.entity\\.ts$|^src/database/|^src/entities\\.ts$' },
      to: { path: 'node_modules/@mikro-orm/' },
    },
    {
      name: 'only-the-ledger-and-the-local-net-know-solana',
      severity: error,
      from: { path: '^src/', pathNot: '^src/(ledger|localnet)/' },
      to: { path: 'node_modules/(@solana/|@solana-program/|litesvm)' },
    },
    { name: 'no-unresolved-imports', severity: error, from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/crypto/amount-kernel/assembly/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
