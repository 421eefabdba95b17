import { texts } from '../../texts.ts';

/** What can be proposed, by the name of the operation. A test compares them with the gateway's. */
export const OPERATION_NAMES: Readonly<Record<string, string>> = texts(
  {
    createDisclosurePolicy: 'Create a disclosure policy',
    approveAddress: 'Approve an address',
    setAddressDefault: 'Approve every address that is not listed',
    createApiKey: 'Create an API key',
    updateOrganization: 'Change a rule of the organization',
    addCaseAuditor: 'Add an auditor to a case',
    assignAsset: 'Assign an asset to an application',
    unbindMint: 'Unbind the mint of an asset',
    rotateAuditorKey: 'Rotate the auditor key',
    exportAuditorKey: 'Export an auditor key',
    importAuditorKey: 'Import an auditor key',
    rotateSigningKey: 'Rotate the signing key',
    declareSigningKeyCompromised: 'Disown a signing key',
    declareSigningKeyLost: 'Give up a lost signing key',
    setRetention: 'Change a retention',
    releaseLegalHold: 'Release a legal hold',
    erasePersonalValues: 'Erase the personal values of a former member',
  },
  {
    fr: {
      createDisclosurePolicy: 'Créer une règle de divulgation',
      approveAddress: 'Approuver une adresse',
      setAddressDefault: 'Approuver toute adresse hors de la liste',
      createApiKey: 'Créer une clé d’API',
      updateOrganization: 'Changer une règle de l’organisation',
      addCaseAuditor: 'Ajouter un auditeur à un dossier',
      assignAsset: 'Attribuer un actif à une application',
      unbindMint: 'Délier le mint d’un actif',
      rotateAuditorKey: 'Renouveler la clé d’auditeur',
      exportAuditorKey: 'Exporter une clé d’auditeur',
      importAuditorKey: 'Importer une clé d’auditeur',
      rotateSigningKey: 'Renouveler la clé de signature',
      declareSigningKeyCompromised: 'Désavouer une clé de signature',
      declareSigningKeyLost: 'Abandonner une clé de signature perdue',
      setRetention: 'Changer une durée de conservation',
      releaseLegalHold: 'Lever un gel juridique',
      erasePersonalValues: 'Effacer les valeurs personnelles d’un ancien membre',
    },
  },
);

type OperationPlace = `/organization/${'policies' | 'keys' | 'people' | 'assets' | 'retention' | 'settings'}`;

/** Where in the organization a second person asks for the same; the others have their place in an application, or here. */
export const OPERATION_PLACES: Readonly<Partial<Record<string, OperationPlace>>> = {
  createDisclosurePolicy: '/organization/policies',
  createApiKey: '/organization/keys',
  assignAsset: '/organization/assets',
  unbindMint: '/organization/assets',
  rotateAuditorKey: '/organization/assets',
  exportAuditorKey: '/organization/assets',
  importAuditorKey: '/organization/assets',
  setRetention: '/organization/retention',
  releaseLegalHold: '/organization/retention',
  erasePersonalValues: '/organization/people',
  updateOrganization: '/organization/settings',
  rotateSigningKey: '/organization/settings',
  declareSigningKeyCompromised: '/organization/settings',
  declareSigningKeyLost: '/organization/settings',
};
