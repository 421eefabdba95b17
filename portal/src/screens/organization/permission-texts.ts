import type { Bucket, PermissionName } from '../../app/permissions.ts';
import { texts } from '../../texts.ts';

/** What each permission allows, for the person who grants it. A permission without a text does not compile. */
const allowed = texts<Readonly<Record<PermissionName, string>>>(
  {
    'owner applications:read': 'List applications; read assets and transactions.',
    'owner applications:create': 'Create applications; register, bind, unbind, assign and disable assets.',
    'owner members:manage':
      'Invite, remove and reset members, grant permissions, end sessions, erase personal values, read refused requests.',
    'owner api_keys:manage': 'List, create and revoke API keys.',
    'owner disclosures:decide': 'Request, read, approve and reject disclosures.',
    'owner policies:manage':
      'List and create disclosure policies; change the organization and what it requires; rotate the auditor key and the signing key; set retention and legal holds.',
    'owner addresses:manage':
      'Approve and revoke addresses of every application, set its default, read recorded checks.',
    'owner relays:read': 'Read the history of relays for the applications.',
    'owner reports:list': 'List all reports of the organization.',
    'owner reports:download': 'Download every report of the organization.',
    'owner reports:create': 'Generate reports of the activity log of the organization.',
    'owner logs:view_activity': 'Read and export the activity log of the organization.',
    'common logs:view_activity': 'Read and export the activity log of the application.',
    'administrator cases:approve_creation':
      'Read all case requests and cases, approve and close requests, end cases, change their auditors.',
    'administrator cases:list': 'List cases.',
    'administrator reports:list': 'List the reports of the application.',
    'administrator addresses:manage': 'Approve and revoke addresses, set the default, read recorded checks.',
    'administrator disclosures:decide': 'Read what disclosures ask for, approve and reject them.',
    'auditor reports:view_transactions': 'Read the transactions of assigned cases while they are open.',
    'auditor cases:create': 'File case requests; read the requests they filed.',
    'auditor cases:withdraw_pending_request': 'Withdraw pending requests they filed.',
    'auditor reports:create': 'Generate reports of assigned cases and of activity logs they may read.',
    'auditor reports:list': 'List the reports of the application.',
    'auditor reports:download':
      'Download reports of the application; those of a case while they are assigned to it.',
  },
  {
    fr: {
      'owner applications:read': 'Lister les applications ; lire les actifs et les transactions.',
      'owner applications:create':
        'Créer des applications ; enregistrer, lier, délier, attribuer et désactiver des actifs.',
      'owner members:manage':
        'Inviter, retirer et réinitialiser des membres, accorder des autorisations, terminer des sessions, effacer des valeurs personnelles, lire les requêtes refusées.',
      'owner api_keys:manage': 'Lister, créer et révoquer des clés d’API.',
      'owner disclosures:decide': 'Demander, lire, approuver et rejeter des divulgations.',
      'owner policies:manage':
        'Lister et créer des règles de divulgation ; changer l’organisation et ce qu’elle exige ; renouveler la clé d’auditeur et la clé de signature ; fixer les durées de conservation et les gels juridiques.',
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
      'administrator disclosures:decide':
        'Lire ce que demandent les divulgations, les approuver et les rejeter.',
      'auditor reports:view_transactions':
        'Lire les transactions des dossiers attribués pendant qu’ils sont ouverts.',
      'auditor cases:create': 'Déposer des demandes de dossier ; lire celles qu’on a déposées.',
      'auditor cases:withdraw_pending_request': 'Retirer des demandes en attente qu’on a déposées.',
      'auditor reports:create':
        'Générer des rapports des dossiers attribués et des journaux qu’on peut lire.',
      'auditor reports:list': 'Lister les rapports de l’application.',
      'auditor reports:download':
        'Télécharger des rapports de l’application ; ceux d’un dossier pendant qu’on y est affecté.',
    },
  },
);

export function allowedBy(bucket: string, permission: string): string | undefined {
  return (allowed as Readonly<Record<string, string>>)[`${bucket} ${permission}`];
}

/** What can be held in one application, by who is meant to hold it. */
export const BUCKETS = ['common', 'administrator', 'auditor'] as const satisfies readonly Bucket[];
const BUCKET_NAMES = texts<Readonly<Record<Bucket, string>>>(
  { common: 'common', administrator: 'administrator', auditor: 'auditor' },
  { fr: { common: 'commun', administrator: 'administrateur', auditor: 'auditeur' } },
);
export const bucketName = (bucket: string): string =>
  BUCKETS.some((known) => known === bucket) ? BUCKET_NAMES[bucket as Bucket] : bucket;
