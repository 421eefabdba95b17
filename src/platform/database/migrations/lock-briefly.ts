/** A table, and the mode in which it is locked until the migration ends. */
type Lock = readonly [table: string, mode: 'access exclusive' | 'share row exclusive'];

/**
 * Locks tables. Waiting for a lock makes later statements wait, so each lock is tried briefly, and again until all are held.
 */
export const lockBriefly = (...locks: readonly Lock[]): string => `do $$ declare
    before text := current_setting('lock_timeout');
    attempts integer := 0;
  begin
    perform set_config('lock_timeout', '50ms', true);
    loop
      begin
        ${locks.map(([table, mode]) => `lock table ${table} in ${mode} mode;`).join('\n        ')}
        exit;
      exception when lock_not_available or deadlock_detected then
        attempts := attempts + 1;
        if attempts > 1200 then raise; end if;
      end;
      perform pg_sleep(0.1 + random() * 0.2);
    end loop;
    perform set_config('lock_timeout', before, true);
  end $$`;
