// Lists violations of the house style, everywhere or below the given paths: npm run tidy [-- path …]
import { findViolations } from './check.ts';

const paths = process.argv.slice(2);
const violations = findViolations().filter(
  ({ file }) => paths.length === 0 || paths.some((path) => file.startsWith(path)),
);
for (const { rule, file, line, problem } of violations) console.log(`${file}:${line}: ${rule}: ${problem}`);
console.log(`${violations.length} violations.`);
process.exitCode = violations.length > 0 ? 1 : 0;
