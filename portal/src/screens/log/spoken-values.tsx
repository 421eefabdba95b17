import type { ReactNode } from 'react';
import { Code, Time } from '../../design/values';
import { countText, utcDayText, listText } from '../../format.ts';
import { texts } from '../../texts.ts';
import { Name } from '../names';
import { flagsText } from '../scope.ts';

/** What the values of an entry or of a proposal are called. One that is not here has the name that the gateway gives it. */
const NAMES: Readonly<Record<string, string>> = texts(
  {
    reason: 'Reason',
    purpose: 'Purpose',
    decision: 'Decision',
    kind: 'Kind',
    years: 'Years',
    name: 'Name',
    foreign_id: 'Application',
    period_from: 'From',
    period_to: 'To',
    access_days: 'Days of access',
    expires_at: 'Ends',
    disclosure_flags: 'Shown',
    fields: 'Values',
    format: 'Format',
    record_count: 'Records',
    transactions: 'Transactions',
    auditors: 'Auditors',
    auditor_id: 'Auditor',
    user_id: 'Person',
    asset_ids: 'Assets',
    asset_id: 'Asset',
    case_id: 'Case',
    mint_address: 'Mint address',
    address: 'Address',
    network: 'Network',
    auditor_el_gamal_pubkey: 'Auditor key',
    epoch: 'Number of the key',
    overlap_days: 'Days with both keys',
    scopes: 'Scopes',
    assigned: 'Belongs to the application',
    require_second_person: 'A second person decides',
    require_second_factor: 'A second factor is required',
  },
  {
    fr: {
      reason: 'Raison',
      purpose: 'But',
      decision: 'Décision',
      kind: 'Sorte',
      years: 'Années',
      name: 'Nom',
      foreign_id: 'Application',
      period_from: 'Du',
      period_to: 'Au',
      access_days: 'Jours d’accès',
      expires_at: 'Fin',
      disclosure_flags: 'Montré',
      fields: 'Valeurs',
      format: 'Format',
      record_count: 'Enregistrements',
      transactions: 'Transactions',
      auditors: 'Auditeurs',
      auditor_id: 'Auditeur',
      user_id: 'Personne',
      asset_ids: 'Actifs',
      asset_id: 'Actif',
      case_id: 'Dossier',
      mint_address: 'Adresse du mint',
      address: 'Adresse',
      network: 'Réseau',
      auditor_el_gamal_pubkey: 'Clé d’auditeur',
      epoch: 'Numéro de la clé',
      overlap_days: 'Jours avec les deux clés',
      scopes: 'Portées',
      assigned: 'Appartient à l’application',
      require_second_person: 'Une seconde personne décide',
      require_second_factor: 'Un second facteur est exigé',
    },
  },
);
const words = texts({ yes: 'yes', no: 'no' }, { fr: { yes: 'oui', no: 'non' } });

type Values = Readonly<Record<string, unknown>>;

/** `requireSecondPerson` of an operation is `require_second_person` of the log. */
const nameOf = (member: string): string | undefined => {
  const name = member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
};

/** An id as the gateway makes them. */
const ID = /^[a-z]{3}_[0-9a-z]{26}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
/** A key, a hash or an address, and no word of a language. */
const CODE = /^[0-9A-Za-z+/]{32,}={0,2}$/;

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** A value in words; `undefined` where only its JSON says all of it. */
export function spoken(value: unknown, app: string | undefined): ReactNode {
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return countText(value);
  if (isText(value)) {
    if (ID.test(value)) return <Name id={value} app={app} />;
    if (DAY.test(value)) return utcDayText(value);
    if (TIME.test(value)) return <Time at={value} />;
    return CODE.test(value) ? <Code value={value} /> : value;
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.every((item): item is string => isText(item) && !ID.test(item))) return listText(items);
    // People as the log names them.
    const people = items.map((item) => (isObject(item) ? item['name'] : undefined));
    if (people.every(isText)) return listText(people);
    return items.every(isText)
      ? items.map((id) => (
          <span key={id} className="block">
            <Name id={id} app={app} />
          </span>
        ))
      : undefined;
  }
  if (isObject(value) && 'full_tx_ids' in value)
    return flagsText({
      fullTxIds: value['full_tx_ids'] === true,
      senderInformation: value['sender_information'] === true,
      withdrawalDetails: value['withdrawal_details'] === true,
    });
  return undefined;
}

/** The values that have a name and words, in the order of the names: the log keeps none. */
export const spokenValues = (values: Values, app: string | undefined) =>
  Object.entries(NAMES).flatMap(([member, name]) => {
    const value = values[member];
    const text = value === undefined || value === null ? undefined : spoken(value, app);
    return text === undefined ? [] : [{ member, name, text }];
  });

/** A code of the gateway, such as `signed_out`, and not what a person wrote. */
const GATEWAY_CODE = /^[a-z_]+$/;

/** Why somebody did it, in their words. */
export function reasonGiven({ reason, purpose }: Values): string | undefined {
  const text = reason ?? purpose;
  return isText(text) && text !== '' && !GATEWAY_CODE.test(text) ? text : undefined;
}

/** What a value of a proposal is called. */
export const valueName = (member: string): ReactNode => nameOf(member) ?? <code>{member}</code>;
