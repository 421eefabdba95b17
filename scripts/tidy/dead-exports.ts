import path from 'node:path';
import ts from 'typescript';
import type { Violation } from './rules.ts';
import { parsed, type SourceFile } from './source-files.ts';

/** AssemblyScript, whose exports are those of the WebAssembly module. */
const ASSEMBLY = /\/assembly\//;

interface Module {
  readonly file: SourceFile;
  /** Exported names, with their lines. */
  readonly exports: Map<string, number>;
  /** Re-exports, with their original module and name. */
  readonly handedOn: Map<string, string>;
  /** Modules that are loaded or named as a whole: any identifier of this file may be an export of them. */
  readonly whole: Set<string>;
  /** How often each identifier occurs in the file. */
  readonly identifiers: Map<string, number>;
}

/** Who imports a name. A re-export may have no importer. */
type Users = Map<string, Set<'product' | 'tests'>>;

/**
 * Values that no other file imports, values that exist only for tests, and re-exports of an index that nobody imports from it.
 * A type may stay exported if it describes a parameter or result of an exported function. A test may import what its own file
 * or folder also uses. Imports by name are resolved exactly. If a module is imported as a whole (`import()`, `import * as`, a
 * test's script that loads from dist/), each of its names that the file mentions counts.
 */
export function deadExports(files: readonly SourceFile[]): readonly Violation[] {
  const known = new Set(files.map((file) => file.path));
  const modules = new Map<string, Module>();
  const users: Users = new Map();
  for (const file of files.filter(({ path: name }) => /\.(ts|tsx)$/.test(name) && !ASSEMBLY.test(name))) {
    modules.set(file.path, readModule(file, known, users));
  }
  const scripts = new Set(
    files
      .filter(({ path: name }) => /\.mjs$/.test(name))
      .flatMap(({ lines }) => lines.join('\n').match(/\b[A-Za-z_$][\w$]*\b/g) ?? []),
  );
  for (const { file, whole, identifiers } of modules.values()) {
    for (const target of whole) {
      for (const name of modules.get(target)?.exports.keys() ?? [])
        if (identifiers.has(name)) addUse(users, file, `${target} ${name}`);
    }
  }
  const servesProduct = reachedBy('product', modules, users);
  const servesTests = reachedBy('tests', modules, users);
  // The portal's build replaces `x.ts` with `x.browser.ts`, so no import names the latter.
  const named = [...modules.values()].filter(({ file }) => !file.path.endsWith('.browser.ts'));
  return named.flatMap(({ file, exports, handedOn, identifiers }) =>
    [...exports].flatMap(([name, line]) => {
      const violation = { rule: 'dead export', file: file.path, line };
      if (scripts.has(name)) return [];
      if (!users.has(`${file.path} ${name}`))
        return [{ ...violation, problem: `no other file imports ${name}` }];
      const mayServeTests =
        isTest(file) ||
        handedOn.has(name) ||
        (identifiers.get(name) ?? 0) > 1 ||
        `${file.path} ${name}` in KEPT;
      if (mayServeTests || servesProduct.has(`${file.path} ${name}`)) return [];
      if (!servesTests.has(`${file.path} ${name}`)) return [];
      return [{ ...violation, problem: `only tests use ${name}: move it to test/kit` }];
    }),
  );
}

/** Exports of the product that only tests import today, with the reason. */
const KEPT: Readonly<Record<string, string>> = {
  'src/platform/database/migrations/owner-permissions.ts grantToFullOwners':
    'The next migration that adds one runs it.',
};

const isTest = (file: SourceFile) => file.path.startsWith('test/');

function addUse(users: Users, by: SourceFile | undefined, name: string): void {
  if (!users.has(name)) users.set(name, new Set());
  if (by) users.get(name)!.add(isTest(by) ? 'tests' : 'product');
}

/** Exports that product or tests import, also through an index. */
function reachedBy(
  who: 'product' | 'tests',
  modules: ReadonlyMap<string, Module>,
  users: Users,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const add = (name: string): void => {
    reached.add(name);
    const [file, inFile] = name.split(' ') as [string, string];
    const origin = modules.get(file)?.handedOn.get(inFile);
    if (origin) add(origin);
  };
  for (const [name, by] of users) if (by.has(who)) add(name);
  return reached;
}

function readModule(file: SourceFile, known: ReadonlySet<string>, users: Users): Module {
  const source = parsed(file);
  const module: Module = {
    ...{ file, exports: new Map(), handedOn: new Map(), whole: new Set(), identifiers: new Map() },
  };
  const use = (target: string, name: string) => addUse(users, file, `${target} ${name}`);
  // A re-export is a use only for those who import the name from here.
  const handOn = (origin: string, name: string) => {
    module.handedOn.set(name, origin);
    addUse(users, undefined, origin);
  };
  const lineOf = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const addExport = (name: ts.Node) => void module.exports.set(name.getText(), lineOf(name));
  const resolve = (specifier: ts.Node | undefined) =>
    specifier && ts.isStringLiteralLike(specifier)
      ? resolveModule(file.path, specifier.text, known)
      : undefined;

  const visit = (node: ts.Node): void => {
    // A string can name an export of a module that is loaded lazily.
    if (ts.isIdentifier(node) || ts.isStringLiteral(node))
      module.identifiers.set(node.text, (module.identifiers.get(node.text) ?? 0) + 1);
    if (ts.isImportDeclaration(node)) {
      const target = resolve(node.moduleSpecifier);
      const bindings = node.importClause?.namedBindings;
      if (target && bindings && ts.isNamedImports(bindings)) {
        for (const { propertyName, name } of bindings.elements) use(target, (propertyName ?? name).text);
      } else if (target && bindings) module.whole.add(target);
      return;
    }
    if (ts.isExportDeclaration(node)) {
      const target = resolve(node.moduleSpecifier);
      if (node.exportClause && ts.isNamedExports(node.exportClause)) {
        for (const { propertyName, name } of node.exportClause.elements) {
          addExport(name);
          if (target) handOn(`${target} ${(propertyName ?? name).text}`, name.text);
        }
      } else if (target) module.whole.add(target);
      return;
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const target = resolve(node.arguments[0]);
      if (target) module.whole.add(target);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const target = resolve(node.argument.literal);
      if (target) module.whole.add(target);
    }
    if (isExported(node) && !isType(node, file.path)) {
      if (ts.isVariableStatement(node)) {
        for (const { name } of node.declarationList.declarations) boundNames(name).forEach(addExport);
      } else if ('name' in node && node.name) addExport(node.name as ts.Node);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return module;
}

// The classes of a `*.type.ts` are GraphQL types.
function isType(node: ts.Node, file: string): boolean {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  return ts.isClassDeclaration(node) && file.endsWith('.type.ts');
}

function isExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)
  );
}

function boundNames(name: ts.BindingName): readonly ts.Node[] {
  if (ts.isIdentifier(name)) return [name];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}

/** The file of this repository that a specifier names; undefined for packages. */
function resolveModule(from: string, specifier: string, known: ReadonlySet<string>): string | undefined {
  const [, room, inside] = /^#(lucarne|devnet)\/(.*)$/.exec(specifier) ?? [];
  const target = room
    ? `${room === 'lucarne' ? 'src' : 'devnet'}/${inside}`
    : specifier.startsWith('.') && path.posix.join(path.posix.dirname(from), specifier);
  if (!target) return undefined;
  const stem = target.replace(/^dist\//, '').replace(/\.(js|tsx?)$/, '');
  return [`${stem}.ts`, `${stem}.tsx`, `${stem}/index.ts`, target].find((name) => known.has(name));
}
