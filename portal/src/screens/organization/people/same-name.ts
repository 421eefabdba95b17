/** In one form of Unicode, and with the spaces that a page shows: nobody can see and type the others. */
const asShown = (name: string) => name.normalize('NFC').trim().replaceAll(/\s+/g, ' ');

export const isSameName = (typed: string, name: string): boolean => asShown(typed) === asShown(name);
