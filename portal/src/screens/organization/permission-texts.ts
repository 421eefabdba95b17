import table from '../../../../schema/permissions.json' with { type: 'json' };
import type { Bucket, PermissionName } from '../../app/permissions.ts';
import { language, texts } from '../../texts.ts';

type Allowed = Readonly<Record<PermissionName, string>>;

const ENGLISH = Object.fromEntries(
  Object.entries<Readonly<Record<string, { readonly allows: string }>>>(table).flatMap(([bucket, rules]) =>
    Object.entries(rules).map(([name, { allows }]) => [`${bucket} ${name}`, allows]),
  ),
) as Allowed;

/** A permission without a French text does not compile. */
const FRENCH: Allowed = {
  'owner applications:read': 'Lister les applications ; lire les actifs et les transactions.',
  'owner applications:create':
    'Créer des applications ; enregistrer, lier, délier, attribuer et désactiver des actifs.',
  'owner members:manage':
    'Inviter, retirer et réinitialiser des membres, accorder des autorisations, terminer des sessions, effacer des valeurs personnelles, lire les requêtes refusées.',
  'owner api_keys:manage': 'Lister, créer et révoquer des clés d’API.',
  'owner disclosures:decide': 'Demander, lire, approuver et rejeter des divulgations.',
  'owner policies:manage':
    'Lister et créer des règles de divulgation ; changer l’organisation et ce qu’elle exige ; importer, renouveler et exporter les clés d’auditeur ; renouveler la clé de signature et la déclarer compromise ou perdue ; fixer les durées de conservation et les gels juridiques.',
  'owner addresses:manage':
    'Approuver et révoquer des adresses de chaque application, fixer sa valeur par défaut, lire les contrôles enregistrés.',
  'owner relays:read': 'Lire l’historique des relais pour les applications.',
  'owner reports:list': 'Lister tous les rapports de l’organisation.',
  'owner reports:download': 'Télécharger chaque rapport de l’organisation.',
  'owner reports:create': 'Générer des rapports du journal d’activité de l’organisation.',
  'owner logs:view_activity': 'Lire et exporter le journal d’activité de l’organisation.',
  'common logs:view_activity': 'Lire et exporter le journal d’activité de l’application.',
  'administrator cases:approve_creation':
    'Lire toutes les demandes et tous les dossiers, approuver et clore des demandes, terminer des dossiers, changer leurs auditeurs.',
  'administrator cases:list': 'Lister les dossiers.',
  'administrator reports:list': 'Lister les rapports de l’application.',
  'administrator addresses:manage':
    'Approuver et révoquer des adresses, fixer la valeur par défaut, lire les contrôles enregistrés.',
  'administrator disclosures:decide': 'Lire ce que demandent les divulgations, les approuver et les rejeter.',
  'auditor reports:view_transactions':
    'Lire les transactions des dossiers attribués pendant qu’ils sont ouverts.',
  'auditor cases:create': 'Déposer des demandes de dossier ; lire celles qu’on a déposées.',
  'auditor cases:withdraw_pending_request': 'Retirer des demandes en attente qu’on a déposées.',
  'auditor reports:create': 'Générer des rapports des dossiers attribués et des journaux qu’on peut lire.',
  'auditor reports:list': 'Lister les rapports de l’application.',
  'auditor reports:download':
    'Télécharger des rapports de l’application ; ceux d’un dossier pendant qu’on y est affecté.',
};

/** What each permission allows, for the person who grants it. */
const ALLOWED = language === 'fr' ? FRENCH : ENGLISH;

export function allowedBy(bucket: string, permission: string): string | undefined {
  return (ALLOWED as Readonly<Record<string, string>>)[`${bucket} ${permission}`];
}

/** What can be held in one application, by who is meant to hold it. */
export const BUCKETS = ['common', 'administrator', 'auditor'] as const satisfies readonly Bucket[];
const BUCKET_NAMES = texts<Readonly<Record<Bucket, string>>>(
  { common: 'common', administrator: 'administrator', auditor: 'auditor' },
  { fr: { common: 'commun', administrator: 'administrateur', auditor: 'auditeur' } },
);
export const bucketName = (bucket: string): string =>
  BUCKETS.some((known) => known === bucket) ? BUCKET_NAMES[bucket as Bucket] : bucket;
