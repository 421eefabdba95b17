import {
  requireOwnerPermission,
  requireScope,
  requireSomeApplicationPermission,
  type ApiKeyScope,
  type ApplicationBucket,
  type Permission,
  type Principal,
} from '../../domain/access/index.js';

/** A permission with its bucket, or the scope of an API key. */
export type Need =
  | `scope ${ApiKeyScope}`
  | `owner ${Permission<'owner'>}`
  | { [B in ApplicationBucket]: `${B} ${Permission<B>}` }[ApplicationBucket];

/**
 * Requires one of several needs of the same kind: scopes, owner permissions, or permissions for the application `foreignId`.
 * It throws the error that an operation with these needs throws.
 */
export function requireOneOf(
  principal: Principal | undefined,
  needs: readonly Need[],
  foreignId: string,
): void {
  const named = needs.map((need) => need.split(' ', 2) as [string, string]);
  const [bucket, name] = named[0] ?? [];
  if (bucket === 'scope') requireScope(principal, name as ApiKeyScope);
  else if (bucket === 'owner') requireOwnerPermission(principal, name as Permission<'owner'>);
  else
    requireSomeApplicationPermission(
      principal,
      foreignId,
      named as unknown as Parameters<typeof requireSomeApplicationPermission>[2],
    );
}
