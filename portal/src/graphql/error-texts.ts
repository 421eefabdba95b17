import type { ErrorCode, ErrorReason } from '../../../src/platform/kernel/errors.ts';
import { language, texts } from '../texts.ts';

/** What each code says where the gateway gives no reason. */
export const CODE_TEXTS = texts<Readonly<Record<ErrorCode, string>>>(
  {
    BAD_USER_INPUT: 'The gateway cannot use what was sent.',
    UNAUTHENTICATED: 'You are not signed in.',
    FORBIDDEN: 'You do not have the permission for this.',
    NOT_FOUND: 'There is nothing here, or you may not see it.',
    CONFLICT: 'This is not possible in the present state.',
    TOO_MANY_REQUESTS: 'Too many requests. Try again later.',
    UNAVAILABLE: 'The gateway cannot answer now. Try again later.',
    INTERNAL_SERVER_ERROR: 'The request failed in the gateway.',
  },
  {
    fr: {
      BAD_USER_INPUT: 'La passerelle ne peut pas utiliser ce qui a été envoyé.',
      UNAUTHENTICATED: 'Vous n’êtes pas connecté.',
      FORBIDDEN: 'Vous n’avez pas l’autorisation nécessaire.',
      NOT_FOUND: 'Il n’y a rien ici, ou cela ne vous est pas ouvert.',
      CONFLICT: 'Ce n’est pas possible dans l’état actuel.',
      TOO_MANY_REQUESTS: 'Trop de requêtes. Réessayez plus tard.',
      UNAVAILABLE: 'La passerelle ne peut pas répondre pour le moment. Réessayez plus tard.',
      INTERNAL_SERVER_ERROR: 'La requête a échoué dans la passerelle.',
    },
  },
);

export const REASON_TEXTS = texts<Readonly<Record<ErrorReason, string>>>(
  {
    invalid_package: 'A member of the package is missing or not well formed.',
    unsupported_signal_shape: 'The public signals do not fit the circuit of the pool.',
    unsupported_pool: 'The gateway does not relay to this pool.',
    not_found: 'There is nothing here, or you may not see it.',
    conflicting_payload: 'Another package that spends one of the nullifiers was submitted before.',
    retry_not_allowed: 'Another attempt is not allowed in the present state.',
    payload_too_large: 'What was sent is larger than the gateway accepts.',
    rate_limited: 'Too many requests. Try again later.',
    queue_at_capacity: 'Too many requests are waiting. Try again later.',
    low_balance: 'The relayer cannot pay fees at present.',
    relayer_unavailable: 'The relayer cannot accept requests at present.',
    invalid_request: 'The request is not well formed.',
    invalid_network: 'The gateway does not know this network.',
    invalid_address: 'The address is not 32 bytes in base58.',
    second_factor_required: 'A second factor is required: prove yours, or add one.',
    fresh_factor_required: 'This needs a second factor that was proven within the last 5 minutes.',
    second_person_required: 'A second person must do the same. Until then this has no effect.',
    signing_key_away: 'The key that signs the activity log and receipts cannot be used at present.',
    records_archived:
      'Some of the records are in cold storage. Ask for later ones, or ask the operator to attach them.',
    method_not_allowed: 'The gateway does not accept this method.',
    unsupported_media_type: 'The gateway does not accept this content type.',
    internal_error: 'The request failed in the gateway.',
    unavailable: 'The gateway cannot answer now. Try again later.',
  },
  {
    fr: {
      invalid_package: 'Un membre du paquet manque ou est mal formé.',
      unsupported_signal_shape: 'Les signaux publics ne conviennent pas au circuit du pool.',
      unsupported_pool: 'La passerelle ne relaie pas vers ce pool.',
      not_found: 'Il n’y a rien ici, ou cela ne vous est pas ouvert.',
      conflicting_payload: 'Un autre paquet qui dépense l’un des nullifieurs a été soumis auparavant.',
      retry_not_allowed: 'Un nouvel essai n’est pas permis dans l’état actuel.',
      payload_too_large: 'L’envoi dépasse ce que la passerelle accepte.',
      rate_limited: 'Trop de requêtes. Réessayez plus tard.',
      queue_at_capacity: 'Trop de requêtes attendent. Réessayez plus tard.',
      low_balance: 'Le relais ne peut pas payer de frais pour le moment.',
      relayer_unavailable: 'Le relais n’accepte pas de requêtes pour le moment.',
      invalid_request: 'La requête est mal formée.',
      invalid_network: 'La passerelle ne connaît pas ce réseau.',
      invalid_address: 'L’adresse n’a pas 32 octets en base58.',
      second_factor_required: 'Un second facteur est exigé : prouvez le vôtre, ou ajoutez-en un.',
      fresh_factor_required: 'Il faut un second facteur prouvé dans les 5 dernières minutes.',
      second_person_required: 'Une deuxième personne doit faire de même. D’ici là, cela n’a aucun effet.',
      signing_key_away:
        'La clé qui signe le journal d’activité et les reçus est inutilisable pour le moment.',
      records_archived:
        'Une partie des enregistrements est archivée. Demandez-en de plus récents, ou demandez à l’opérateur de les rattacher.',
      method_not_allowed: 'La passerelle n’accepte pas cette méthode.',
      unsupported_media_type: 'La passerelle n’accepte pas ce type de contenu.',
      internal_error: 'La requête a échoué dans la passerelle.',
      unavailable: 'La passerelle ne peut pas répondre pour le moment. Réessayez plus tard.',
    },
  },
);

const has = <Key extends string>(table: Readonly<Record<Key, string>>, key: string | undefined): key is Key =>
  key !== undefined && Object.hasOwn(table, key);

/**
 * An error in the reader's language. The gateway speaks English, so an English page shows its sentence. Another language has a
 * text for each reason; where there is only a code, `detail` is the gateway's sentence.
 */
export function errorText(
  code: string,
  reason: string | undefined,
  sentence: string,
): { readonly message: string; readonly detail?: string } {
  const isEnglish = language === 'en' && sentence !== '';
  if (isEnglish) return { message: sentence };
  if (has(REASON_TEXTS, reason)) return { message: REASON_TEXTS[reason] };
  const message = has(CODE_TEXTS, code) ? CODE_TEXTS[code] : CODE_TEXTS.INTERNAL_SERVER_ERROR;
  return sentence === '' ? { message } : { message, detail: sentence };
}
