import ts from 'typescript';
import type { Violation } from './rules.ts';
import { isCode, parsed, type SourceFile } from './source-files.ts';

/** Names of variables and parameters that do not state what they hold. */
const VAGUE = /^(given|of|said)$/;

/**
 * Every variable or parameter with a vague name. Members may have such a name: `of` of a component, or `said` of a stored
 * statement.
 */
export function vagueNames(files: readonly SourceFile[]): readonly Violation[] {
  return files.filter(({ path }) => isCode(path)).flatMap(vagueNamesIn);
}

function vagueNamesIn(file: SourceFile): readonly Violation[] {
  const source = parsed(file);
  const violations: Violation[] = [];
  const visit = (node: ts.Node): void => {
    const isDeclaration = ts.isVariableDeclaration(node) || ts.isBindingElement(node) || ts.isParameter(node);
    if (isDeclaration && ts.isIdentifier(node.name) && VAGUE.test(node.name.text)) {
      violations.push({
        rule: 'name: vague variable',
        file: file.path,
        line: source.getLineAndCharacterOfPosition(node.name.getStart()).line + 1,
        problem: `“${node.name.text}” → a noun that says what it is`,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return violations;
}
