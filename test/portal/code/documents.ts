import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema } from 'graphql';

const root = path.resolve(import.meta.dirname, '../../..');
const sources = path.join(root, 'portal/src');

/** The printed schema. */
export const schema = buildSchema(readFileSync(path.join(root, 'schema/schema.graphql'), 'utf8'));

/** Every `graphql(`…`)` of the page, with its file. */
export const documents = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) => {
    const text = readFileSync(path.join(sources, file), 'utf8');
    return [...text.matchAll(/graphql\(\s*`([^`]+)`/g)].map(([, document = '']) => ({ file, document }));
  });
