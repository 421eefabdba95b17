/**
 * The cache key of an operation of a document. Clients can send any text as a name, so its length comes first: no character
 * can move between the name and the document.
 */
export const operationKey = (text: string, operationName: string | null | undefined): string =>
  operationName == null ? `:${text}` : `${operationName.length}:${operationName}${text}`;
