// The rooms and who may enter whom. Imports go down only; design in ARCHITECTURE.md.
const platform = ['kernel', 'crypto', 'ledger', 'signals', 'jobs', 'database', 'http', 'keys'];
const features = [
  'access',
  'activity-log',
  'organizations',
  'assets',
  'transactions',
  'checks',
  'disclosures',
  'cases',
  'relays',
  'indexer',
  'pending-work',
  'reports',
];
// Features that stand side by side: neither enters the other.
const apart = {
  disclosures: ['checks'],
  cases: ['checks', 'disclosures'],
  relays: ['disclosures', 'cases'],
  indexer: ['checks', 'disclosures', 'cases', 'relays'],
  'pending-work': ['checks', 'relays', 'indexer'],
  reports: ['checks', 'disclosures', 'relays', 'indexer', 'pending-work'],
};
/** The folders of a feature, from the bottom: each may enter those before it. */
const floors = {
  access: ['permissions', 'authentication', 'retention', 'second-person'],
  'activity-log': ['sequencing', 'reading', 'exporting', 'verification'],
  organizations: [
    ...[
      'accounts',
      'applications',
      'second-person',
      'keys',
      'retention',
      'signing-keys',
      'sessions',
      'security-log',
    ],
    ...['members', 'oidc', 'passkeys', 'sign-in-limits', 'second-factor', 'sign-in', 'invitations'],
  ],
  checks: ['addresses', 'screening'],
  disclosures: ['policies', 'results', 'reading', 'verification'],
  cases: ['records', 'requests', 'running'],
  relays: ['pools', 'packages', 'evidence', 'payers', 'status', 'admission', 'execution'],
  reports: ['pdf', 'content', 'generation'],
};
const error = 'error';
const either = (names) => `(${names.join('|')})`;
/** What a platform room may enter, beside itself. */
const below = {
  kernel: [],
  crypto: ['kernel'],
  ledger: ['kernel', 'crypto', 'jobs'],
  signals: ['kernel', 'jobs'],
  jobs: ['kernel'],
  database: ['kernel', 'crypto', 'signals', 'jobs'],
  http: ['kernel', 'database', 'jobs'],
  keys: ['kernel', 'crypto', 'jobs', 'database'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: error, from: {}, to: { circular: true } },
    {
      name: 'no-unresolved-imports',
      severity: error,
      from: {},
      to: { couldNotResolve: true, pathNot: '/dist/portal/schema$' },
    },

    {
      name: 'the-platform-knows-no-feature',
      severity: error,
      from: { path: '^src/platform/' },
      to: { path: '^(src|devnet)/', pathNot: '^src/platform/' },
    },
    ...platform.map((room) => ({
      name: `${room}-looks-down-only`,
      severity: error,
      from: { path: `^src/platform/${room}/` },
      to: { path: '^src/platform/', pathNot: `^src/platform/${either([room, ...below[room]])}/` },
    })),
    {
      name: 'crypto-does-no-network-or-files',
      comment: 'Except for its own WebAssembly modules and the table of the discrete logarithm.',
      severity: error,
      from: { path: '^src/platform/crypto/', pathNot: '/kernel-files?\\.ts$' },
      to: { path: '^(node:)?(fs|net|http|https|dns|tls|child_process)(/|$)', dependencyTypes: ['core'] },
    },

    {
      name: 'the-domain-knows-no-edge',
      severity: error,
      from: { path: '^src/domain/' },
      to: { path: '^(src|devnet)/', pathNot: '^src/(platform|domain)/' },
    },
    ...features.map((feature, index) => ({
      name: `${feature}-looks-down-only`,
      severity: error,
      from: { path: `^src/domain/${feature}/` },
      to: {
        path: '^src/domain/',
        pathNot: `^src/domain/${either(
          features.slice(0, index + 1).filter((other) => !(apart[feature] ?? []).includes(other)),
        )}/`,
      },
    })),

    ...Object.entries(floors).flatMap(([feature, folders]) =>
      folders.map((folder, index) => ({
        name: `${feature}-${folder}-looks-down-only`,
        severity: error,
        from: { path: `^src/domain/${feature}/${folder}/` },
        to: {
          path: `^src/domain/${feature}/${either(folders)}/`,
          pathNot: `^src/domain/${feature}/${either(folders.slice(0, index + 1))}/`,
        },
      })),
    ),

    {
      name: 'edge-knows-no-demo-and-no-app',
      severity: error,
      from: { path: '^src/edge/' },
      to: { path: '^(src|devnet)/', pathNot: '^src/(platform|domain|edge)/' },
    },
    {
      name: 'graphql-knows-no-feature-but-access',
      severity: error,
      from: { path: '^src/edge/graphql/' },
      to: { path: '^src/', pathNot: '^src/(edge/graphql|domain/(access|organizations)|platform)/' },
    },
    {
      name: 'rest-speaks-graphql-only',
      comment: 'A REST route is a named GraphQL operation; it never reaches a feature.',
      severity: error,
      from: { path: '^src/edge/rest/' },
      to: { path: '^src/', pathNot: '^src/(edge/(rest|graphql)|platform/kernel)/' },
    },
    {
      name: 'the-portals-server-needs-the-kernel-only',
      severity: error,
      from: { path: '^src/edge/portal/' },
      to: { path: '^src/', pathNot: '^src/(edge/portal|platform/kernel)/' },
    },
    {
      name: 'the-portal-needs-verifiers-and-lists-only',
      comment:
        'What runs in a browser: the kernel, cryptography, what verifies files, and the unions that it names.',
      severity: error,
      from: { path: '^portal/' },
      to: {
        path: '^(src|devnet)/',
        pathNot: [
          '^src/platform/(kernel|crypto|ledger)/',
          '^src/domain/[^/]+/verification/',
          '^src/domain/relays/evidence/verify-relay-receipt',
          '^src/domain/activity-log/(event-types|personal-values)',
          '^src/domain/relays/relay-state',
          '^src/domain/indexer/mint-state',
          '^src/domain/disclosures/policies/disclosure-rules',
          '^src/domain/cases/records/case-transaction-types',
        ],
      },
    },
    {
      name: 'demo-knows-no-app',
      severity: error,
      from: { path: '^src/demo/' },
      to: { path: '^src/app/' },
    },
    {
      name: 'devnet-needs-kernel-crypto-and-ledger-only',
      severity: error,
      from: { path: '^devnet/' },
      to: { path: '^(src|portal|test|bench)/', pathNot: '^src/platform/(kernel|crypto|ledger)/' },
    },
    {
      name: 'only-app-and-demo-need-devnet',
      severity: error,
      from: { path: '^src/', pathNot: '^src/(app|demo)/' },
      to: { path: '^devnet/' },
    },

    {
      name: 'enter-a-room-through-its-index',
      comment: 'The portal imports single files: an index would bring the server into the browser.',
      severity: error,
      from: { path: '^((?:src/)?[^/]+/[^/]+)/', pathNot: '^portal/' },
      to: {
        path: `^src/(platform/${either(platform.slice(1))}|domain/[^/]+|edge/[^/]+|demo)/`,
        pathNot: ['^$1/', '/index\\.ts$', '^src/demo/demo-command\\.ts$'],
      },
    },
    {
      name: 'enter-devnet-through-its-index',
      severity: error,
      from: { path: '^src/' },
      to: { path: '^devnet/', pathNot: '^devnet/index\\.ts$' },
    },

    {
      name: 'nothing-needs-the-simulation',
      severity: error,
      from: { path: '^(src|devnet)/' },
      to: { path: '^simulation/' },
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
      from: { path: '^(src|devnet)/', pathNot: '\\.(resolver|type)\\.ts$|^src/edge/graphql/' },
      to: { path: 'node_modules/type-graphql/' },
    },
    {
      name: 'the-orm-stays-in-entities-and-the-database',
      severity: error,
      from: {
        path: '^(src|devnet)/',
        pathNot: '\\.entity\\.ts$|^src/platform/database/|^src/app/storage/entities\\.ts$',
      },
      to: { path: 'node_modules/@mikro-orm/' },
    },
    {
      name: 'only-the-ledger-devnet-and-the-demo-know-solana',
      severity: error,
      from: { path: '^src/', pathNot: '^src/(platform/ledger|demo)/' },
      to: { path: 'node_modules/(@solana/|@solana-program/|litesvm)' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/platform/crypto/[^/]+/assembly/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
