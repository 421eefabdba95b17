export { registerPortal } from './register-portal.js';
