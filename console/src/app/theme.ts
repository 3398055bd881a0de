/** Dark or light: as the system has it until somebody chooses. */
export type Theme = 'system' | 'light' | 'dark';

const STORED = 'theme';

export function storedTheme(): Theme {
  const found = localStorage.getItem(STORED);
  return found === 'light' || found === 'dark' ? found : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(STORED, theme);
    document.documentElement.dataset.theme = theme;
  }
}
