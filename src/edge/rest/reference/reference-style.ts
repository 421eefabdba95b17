/** The style of the reference page. The page's content security policy allows this text and no other. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #57606a; --line: #d0d7de; --shade: #f3f5f7; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --paper: #14171b; --quiet: #9da7b3; --line: #39414b; --shade: #1e2329; --link: #79b8ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; color: var(--ink); background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; background: var(--paper); padding: .5rem; }
h1, h2, h3, h4 { line-height: 1.25; }
h3 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
nav ul { padding-left: 1.25rem; }
nav a { display: inline-block; padding: .2rem 0; vertical-align: top; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
pre { background: var(--shade); padding: .75rem; overflow: auto; white-space: pre-wrap; }
.route { background: var(--shade); padding: .5rem .75rem; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; }
tbody th code { overflow-wrap: normal; white-space: nowrap; }
caption { text-align: left; color: var(--quiet); font-size: .875rem; padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th { font-weight: 600; }
summary { cursor: pointer; padding: .3rem 0; }
dd { margin: 0 0 .75rem 1rem; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); column-gap: 2.5rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; }
}
`;
