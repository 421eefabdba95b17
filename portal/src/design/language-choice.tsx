import { changeSettings } from '../change-settings.ts';
import { settings, type Settings } from '../settings.ts';
import { language, texts } from '../texts.ts';
import { Select } from './fields';

const words = texts(
  { label: 'Language', browser: 'Language of the browser' },
  { fr: { label: 'Langue', browser: 'Du navigateur' } },
);

/** Texts are read when the page is loaded, so a choice loads it again. */
export function LanguageChoice() {
  return (
    <Select
      name="language"
      label={language === 'en' ? words.label : `${words.label} (language)`}
      value={settings.language}
      onChange={(chosen) => {
        changeSettings({ language: chosen as Settings['language'] });
        location.reload();
      }}
      options={[
        { value: 'browser', label: words.browser },
        { value: 'en', label: 'English' },
        { value: 'fr', label: 'Français' },
      ]}
    />
  );
}
