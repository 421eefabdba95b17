import { keepSettings, settings, type Settings } from './settings.ts';

export function applySettings(): void {
  const { classList, style } = document.documentElement;
  style.colorScheme = settings.scheme === 'system' ? '' : settings.scheme;
  classList.toggle('compact', settings.isCompact);
}

export function changeSettings(changes: Partial<Settings>): void {
  keepSettings({ ...settings, ...changes });
  applySettings();
}
