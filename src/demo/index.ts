export { demoAccountsOf, parseDemoFile, readdressDemoFile, writeDemoFile } from './file.js';
export { DemoFailed } from './gateway.js';
export { createDemoOrganizations, type DemoFile, type DemoOrganization } from './organization.js';
export { tellRelayStory, type RelayOutcome } from './relay-story.js';
export { fillDemo } from './fill-demo.js';
export { tellDemoStory, type DemoOutcome } from './story.js';
export type { DemoEvent } from './storyteller.js';
