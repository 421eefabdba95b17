import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import {
  inclusionProofFile,
  openCheckpoint,
  signCheckpoint,
} from '../../../../src/platform/crypto/merkle-log/checkpoint.js';
import { leafHash } from '../../../../src/platform/crypto/merkle-log/merkle-tree.js';
import {
  openNote,
  signNote,
  type NoteSigner,
} from '../../../../src/platform/crypto/merkle-log/signed-note.js';
import {
  generateSigningKey,
  parseVerifierKey,
  sign,
  signingPublicKey,
} from '../../../../src/platform/crypto/signing.js';
import { GO_NOTE } from '../../../vectors/merkle-tree.js';

function signerOf(name: string, secret = generateSigningKey().secret): NoteSigner {
  return { name, publicKey: signingPublicKey(secret), sign: (message) => sign(secret, message) };
}

describe('a signed note', () => {
  const key = parseVerifierKey(GO_NOTE.verifierKey)!;

  it('matches the one of Go’s checksum database byte for byte', () => {
    const secret = Uint8Array.from(
      Buffer.from(GO_NOTE.signerKey.split('+').slice(4).join('+'), 'base64'),
    ).slice(1);
    expect(signNote(GO_NOTE.text, signerOf('PeterNeumann', secret))).toBe(GO_NOTE.note);
    expect(openNote(GO_NOTE.note, key)).toBe(GO_NOTE.text);
  });

  it('opens with other signatures next to ours, and with an empty line in its text', () => {
    const [log, witness] = [signerOf('log.example'), signerOf('witness.example')];
    const text = 'first\n\nlast\n';
    const signedByBoth = `${signNote(text, log)}${signNote(text, witness).split('\n\n').at(-1)!}`;
    expect(openNote(signedByBoth, log)).toBe(text);
    expect(openNote(signedByBoth, witness)).toBe(text);
    expect(openNote(signedByBoth, signerOf('stranger.example'))).toBeUndefined();
  });

  it.each([
    ['no empty line', GO_NOTE.note.replace('\n\n', '\n')],
    ['no signature', `${GO_NOTE.text}\n`],
    ['a hyphen for the dash', GO_NOTE.note.replace('—', '-')],
    ['no newline at its end', GO_NOTE.note.slice(0, -1)],
    ['a carriage return', GO_NOTE.note.replaceAll('\n', '\r\n')],
    ['another name', GO_NOTE.note.replace('PeterNeumann', 'PeterNewman')],
    ['something after the signature', GO_NOTE.note.replace('AM=\n', 'AM= \n')],
    ['base64 that is not canonical', GO_NOTE.note.replace('AM=\n', 'AN=\n')],
    ['another key id', GO_NOTE.note.replace('x08go/', 'x08gp/')],
    ['another text', GO_NOTE.note.replace('think', 'thunk')],
    ['only a key id', GO_NOTE.note.replace(/x08go.*=/, 'x08gow==')],
    [
      'a second, false signature of the key',
      `${GO_NOTE.note}${GO_NOTE.note.split('\n\n')[1]!.replace('JnAM', 'JnAA')}`,
    ],
  ])('does not open with %s', (_, note) => {
    expect(openNote(note, key)).toBeUndefined();
  });

  it('does not open, and does not throw, for invalid text', () =>
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => openNote(text, key) === undefined)));

  it('is not created from text that would not round-trip', () => {
    for (const text of ['', 'no newline', 'bell\u0007\n', 'lone \ud800\n']) {
      expect(() => signNote(text, signerOf('log.example'))).toThrow(RangeError);
    }
  });
});

describe('a checkpoint', () => {
  const origin = 'lucarne.example/log/org_01';
  const signer = signerOf(origin);
  const checkpoint = { origin, size: 417, root: leafHash('root') };

  it('is origin, size and root, each on a line, signed under the name of the log', () => {
    const note = signCheckpoint(checkpoint, signer);
    expect(note.split('\n').slice(0, 4)).toEqual([
      origin,
      '417',
      Buffer.from(checkpoint.root).toString('base64'),
      '',
    ]);
    expect(note.split('\n')[4]).toMatch(/^— lucarne\.example\/log\/org_01 [A-Za-z0-9+/]{91}=$/);
    expect(openCheckpoint(note, signer)).toEqual(checkpoint);
  });

  it('is refused from another log, and from this log with another key', () => {
    const elsewhere = signerOf('lucarne.example/log/org_02');
    expect(() => signCheckpoint(checkpoint, elsewhere)).toThrow(RangeError);
    expect(
      openCheckpoint(signNote(`${origin}\n1\n${'A'.repeat(43)}=\n`, elsewhere), elsewhere),
    ).toBeUndefined();
    expect(openCheckpoint(signCheckpoint(checkpoint, signerOf(origin)), signer)).toBeUndefined();
  });

  it.each([
    ['a leading zero', '0417', 'A'.repeat(43) + '='],
    ['a sign', '+417', 'A'.repeat(43) + '='],
    ['no size', '', 'A'.repeat(43) + '='],
    ['a size past 2^53', '9007199254740993', 'A'.repeat(43) + '='],
    ['a short root', '417', 'AAAA'],
    ['a root that is not base64', '417', '!'.repeat(44)],
  ])('is refused with %s, although it is signed', (_, size, root) => {
    expect(openCheckpoint(signNote(`${origin}\n${size}\n${root}\n`, signer), signer)).toBeUndefined();
  });

  it('may have extension lines, which are ignored', () => {
    const root = Buffer.from(checkpoint.root).toString('base64');
    const note = signNote(`${origin}\n417\n${root}\nextension\n`, signer);
    expect(openCheckpoint(note, signer)).toEqual(checkpoint);
  });

  it('is at the end of a proof file', () => {
    const note = signCheckpoint(checkpoint, signer);
    const file = inclusionProofFile(12, [leafHash('a'), leafHash('b')], note);
    const hash = (text: string) => Buffer.from(leafHash(text)).toString('base64');
    expect(file).toBe(`c2sp.org/tlog-proof@v1\nindex 12\n${hash('a')}\n${hash('b')}\n\n${note}`);
    expect(inclusionProofFile(0, [], note)).toBe(`c2sp.org/tlog-proof@v1\nindex 0\n\n${note}`);
  });
});
