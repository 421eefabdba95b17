import { texts } from '../texts.ts';
import type { Bucket, Permission } from './permissions.ts';

/** What a viewer may do, by bucket. */
export interface Held {
  readonly owner: readonly string[];
  readonly applications: readonly {
    readonly foreignId: string;
    readonly common: readonly string[];
    readonly administrator: readonly string[];
    readonly auditor: readonly string[];
  }[];
}

export const holdsOwner = (held: Held, permission: Permission<'owner'>): boolean =>
  held.owner.includes(permission);

export function holds<B extends Bucket>(
  held: Held,
  application: string,
  bucket: B,
  permission: Permission<B>,
): boolean {
  return holdsOne(held, application, [bucket, permission] as unknown as BucketPermission);
}

type BucketPermission = { [B in Bucket]: readonly [B, Permission<B>] }[Bucket];

const holdsOne = (held: Held, application: string, ...pairs: readonly BucketPermission[]) =>
  pairs.some(([bucket, permission]) =>
    held.applications.find(({ foreignId }) => foreignId === application)?.[bucket].includes(permission),
  );

/** Whether somebody holds it in any application. */
export const holdsSomewhere = (held: Held, permission: BucketPermission): boolean =>
  held.applications.some(({ foreignId }) => holdsOne(held, foreignId, permission));

/** Whether somebody sees cases of an application: all of them, or those that they are assigned to. */
export const seesCases = (held: Held, app: string): boolean =>
  holdsOne(
    held,
    app,
    ['administrator', 'cases:approve_creation'],
    ['administrator', 'cases:list'],
    ['auditor', 'reports:view_transactions'],
  );

/** Whether somebody creates reports, of the organization or of an application. */
export const createsReports = (held: Held): boolean =>
  holdsOwner(held, 'reports:create') || holdsSomewhere(held, ['auditor', 'reports:create']);

const words = texts(
  {
    toDo: 'To do',
    requests: 'Case requests',
    cases: 'Cases',
    reports: 'Reports',
    log: 'Activity',
    addresses: 'Addresses',
    disclosures: 'Disclosures',
    applications: 'Applications',
    assets: 'Assets',
    policies: 'Policies',
    people: 'People',
    keys: 'API keys',
    organizationReports: 'All reports',
    organizationLog: 'Activity log',
    relays: 'Relays',
    refusals: 'Refusals',
    retention: 'Retention',
    settings: 'Settings',
    account: 'Your account',
    verify: 'Verify a file',
    help: 'Help',
  },
  {
    fr: {
      toDo: 'À faire',
      requests: 'Demandes de dossier',
      cases: 'Dossiers',
      reports: 'Rapports',
      log: 'Activité',
      addresses: 'Adresses',
      disclosures: 'Divulgations',
      applications: 'Applications',
      assets: 'Actifs',
      policies: 'Règles',
      people: 'Personnes',
      keys: 'Clés d’API',
      organizationReports: 'Tous les rapports',
      organizationLog: 'Journal d’activité',
      relays: 'Relais',
      refusals: 'Refus',
      retention: 'Conservation',
      settings: 'Réglages',
      account: 'Votre compte',
      verify: 'Vérifier un fichier',
      help: 'Aide',
    },
  },
);

export const PLACE_NAMES = words;

/** The pages of one application, with who sees each in the navigation. Only the gateway decides access. */
export const APPLICATION_PLACES = [
  {
    to: '/a/$app/requests',
    name: words.requests,
    isShown: (held: Held, app: string) =>
      holdsOne(
        held,
        app,
        ['administrator', 'cases:approve_creation'],
        ['auditor', 'cases:create'],
        ['auditor', 'cases:withdraw_pending_request'],
      ),
  },
  {
    to: '/a/$app/cases',
    name: words.cases,
    isShown: seesCases,
  },
  {
    to: '/a/$app/reports',
    name: words.reports,
    isShown: (held: Held, app: string) =>
      holdsOne(held, app, ['administrator', 'reports:list'], ['auditor', 'reports:list']),
  },
  {
    to: '/a/$app/log',
    name: words.log,
    isShown: (held: Held, app: string) => holdsOne(held, app, ['common', 'logs:view_activity']),
  },
  {
    to: '/a/$app/addresses',
    name: words.addresses,
    // An owner manages the addresses of every application.
    isShown: (held: Held, app: string) =>
      holdsOwner(held, 'addresses:manage') || holdsOne(held, app, ['administrator', 'addresses:manage']),
  },
] as const;

const owner =
  (...permissions: Permission<'owner'>[]) =>
  (held: Held) =>
    permissions.some((permission) => holdsOwner(held, permission));

const owns = owner(
  ...(['policies:manage', 'members:manage', 'addresses:manage', 'api_keys:manage'] as const),
  'applications:create',
);

/** Whether somebody sees what another person proposed: may call one of these operations too, or oversees them. */
export const seesProposals = (held: Held): boolean =>
  owns(held) ||
  held.applications.some(({ foreignId }) =>
    holdsOne(
      held,
      foreignId,
      ['administrator', 'addresses:manage'],
      ['administrator', 'cases:approve_creation'],
    ),
  );

/** Whether somebody reads a log: of the organization, of an application or of a case. */
export const readsSomeLog = (held: Held): boolean =>
  holdsOwner(held, 'logs:view_activity') ||
  held.applications.some(
    ({ common, auditor }) =>
      common.includes('logs:view_activity') || auditor.includes('reports:view_transactions'),
  );

export const ORGANIZATION_PLACES = [
  {
    to: '/disclosures',
    name: words.disclosures,
    isShown: (held: Held) =>
      holdsOwner(held, 'disclosures:decide') || holdsSomewhere(held, ['administrator', 'disclosures:decide']),
  },
  { to: '/organization/applications', name: words.applications, isShown: owner('applications:read') },
  { to: '/organization/assets', name: words.assets, isShown: owner('applications:read') },
  { to: '/organization/policies', name: words.policies, isShown: owner('policies:manage') },
  { to: '/organization/people', name: words.people, isShown: owner('members:manage') },
  { to: '/organization/keys', name: words.keys, isShown: owner('api_keys:manage') },
  { to: '/organization/reports', name: words.organizationReports, isShown: owner('reports:list') },
  { to: '/organization/log', name: words.organizationLog, isShown: owner('logs:view_activity') },
  { to: '/organization/relays', name: words.relays, isShown: owner('relays:read') },
  { to: '/organization/refusals', name: words.refusals, isShown: owner('members:manage') },
  { to: '/organization/retention', name: words.retention, isShown: owner('policies:manage') },
  {
    to: '/organization/settings',
    name: words.settings,
    isShown: owner('members:manage', 'policies:manage'),
  },
] as const;
