export interface FormValues {
  readonly text: (name: string) => string;
  /** As it was typed: spaces at its ends are a part of it. */
  readonly password: (name: string) => string;
  readonly all: (name: string) => string[];
  readonly isOn: (name: string) => boolean;
  /** The chosen file; `undefined` where none is chosen. */
  readonly file: (name: string) => File | undefined;
}

export const valuesOf = (data: FormData): FormValues => ({
  text: (name) => String(data.get(name) ?? '').trim(),
  password: (name) => String(data.get(name) ?? ''),
  all: (name) => data.getAll(name).map(String),
  isOn: (name) => data.has(name),
  file(name) {
    const file = data.get(name);
    return file instanceof File && file.name !== '' ? file : undefined;
  },
});
