import { packageVersion } from '../platform/kernel/package.js';
import { originForPeople } from '../platform/kernel/hosts.js';
import type { Application } from './application.js';
import type { Configuration } from './configuration/index.js';

/** What an operator needs at the start: the URL, the roles, and missing settings. */
export function bannerLines(
  configuration: Configuration,
  application: Application,
  demo: DemoShown | undefined,
): readonly string[] {
  const { url, ledger, relayer } = application;
  const lines = ['', `Lucarne ${packageVersion} ${url === undefined ? 'runs' : `serves ${url}`}`];
  if (url !== undefined) {
    lines.push(
      `  Portal     ${originForPeople(url)}/portal/   (the web page for people)`,
      `  GraphQL    ${url}/graphql${configuration.production ? '' : '   (open it in a browser)'}`,
      `  REST       ${url}/docs      (the reference of every route)`,
    );
  }
  lines.push(
    `  Roles      ${[...configuration.roles].join(', ')}`,
    // A provider's URL can hold its key.
    `  Ledger     ${ledger.local ? `${ledger.rpcUrl}         (embedded)` : new URL(ledger.rpcUrl).host}`,
    `  Pools      ${relayer.pools.length === 0 ? 'none' : relayer.pools.join(', ')}`,
  );
  if (configuration.databaseUrl === undefined) {
    lines.push(
      '  Database   embedded: one process, not synced to disk on every commit; use DATABASE_URL for real data',
    );
  }
  for (const [index, what] of missing(configuration, application).entries())
    lines.push(`  ${index === 0 ? 'Missing' : '       '}    ${what}`);
  if (demo) lines.push('', ...demoLines(demo));
  return [...lines, ''];
}

/** Missing settings that limit what this process can do. */
export function missing(configuration: Configuration, { relayer }: Application): readonly string[] {
  const { roles, sanctions, screening, smtp, publicUrl } = configuration;
  const found: string[] = [];
  if (!roles.has('api')) return found;
  if (!sanctions && !screening)
    found.push('a sanctions list or a screening service: LUCARNE_SANCTIONS_FILE, LUCARNE_SCREENING_URL');
  if (!smtp) found.push('a mail server, so links are shown to the owner who makes them: LUCARNE_SMTP_URL');
  if (!publicUrl) found.push('the origin that browsers see: LUCARNE_PUBLIC_URL');
  if (relayer.pools.length === 0) found.push('pools to relay to: LUCARNE_POOLS_FILE');
  else if (!relayer.hasKey) found.push('a key that pays for relays: LUCARNE_RELAYER_KEYPAIR_FILE');
  return found;
}

/** The demo that this process shows. */
export interface DemoShown {
  /** Where its credentials are. Absent if another instance has them. */
  readonly file?: string;
}

function demoLines({ file }: DemoShown): string[] {
  if (file === undefined) {
    return [
      'The demo organizations exist; the instance that made them holds their credentials in its demo.json.',
    ];
  }
  return [
    `Two demo organizations; their users, passwords and API keys are in ${file}`,
    '  Sign in    choose a demo user on the portal, or POST /auth/sign-in {email, password}',
    '  Or send    Authorization: Bearer <apiKey>',
    '  Watch      npx lucarne demo, npx lucarne demo relay   (in a second terminal)',
  ];
}
