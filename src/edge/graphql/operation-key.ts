/**
 * What an operation of a document is remembered by. Clients send any text as a name, so that its length stands before it: no
 * character can move between the name and the document.
 */
export const operationKey = (text: string, operationName: string | null | undefined): string =>
  operationName == null ? `:${text}` : `${operationName.length}:${operationName}${text}`;
