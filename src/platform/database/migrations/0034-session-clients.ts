import { Migration } from '@mikro-orm/migrations';

/** By what a person recognizes their own sessions. Only while one is open. */
export class Migration0034SessionClients extends Migration {
  override up(): void {
    this.addSql(`alter table sessions add column client_address text, add column user_agent text`);
  }
}
