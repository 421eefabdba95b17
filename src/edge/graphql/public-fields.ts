import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * The root fields that need no credentials. All others are refused to anonymous callers before a document is validated. The
 * authorization table of the tests has the same list, written independently.
 */
export const PUBLIC_ROOT_FIELDS: ReadonlySet<string> = new Set([
  // The signed-in user, or null.
  'viewer',
  // Sign-in.
  'signInOptions',
  'signInAsDemoUser',
  'signIn',
  'signOut',
  'proposePasskeySignIn',
  'signInWithPasskey',
  'startOidcSignIn',
  'completeOidcSignIn',
  // One-time links: the link is the capability.
  'openInvitation',
  'acceptInvitation',
  'proposeInvitationPasskey',
  'requestPasswordReset',
  'resetPassword',
  // Address checks and relays: the application's public id and the request's id are the capabilities.
  'checkAddress',
  'submitRelayRequest',
  'relayRequest',
  'retryRelayRequest',
  'relayStatus',
  // Introspection, which validation refuses in production.
  '__typename',
  '__schema',
  '__type',
]);

/**
 * The root fields about a person's account, which can belong to members of several organizations. The log of each
 * organization records what happens to it, and the account is deleted with the last membership.
 */
export const ACCOUNT_ROOT_FIELDS: ReadonlySet<string> = new Set([
  ...['organizations', 'switchOrganization', 'changePassword', 'enableTotp', 'disableTotp'],
  ...['addPasskey', 'removePasskey', 'createRecoveryCodes', 'stepUp', 'removeMember'],
  'revokeOtherSessions',
]);

/** The root fields that every caller with credentials may request. */
export const CALLER_ROOT_FIELDS: ReadonlySet<string> = new Set(['me', 'permissionTable']);

/** Whether every root field of the operation, including those in fragments, is in {@link PUBLIC_ROOT_FIELDS}. */
export function needsNoCredentials(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  // Each fragment is searched once. Validation refuses unknown fragments and cycles.
  const isPublic = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return PUBLIC_ROOT_FIELDS.has(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return isPublic(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      fragments.delete(selection.name.value);
      return fragment === undefined || isPublic(fragment.selectionSet);
    });
  return isPublic(operation.selectionSet);
}
