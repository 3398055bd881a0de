/** Dark or light: as the system has it until somebody chooses. */
export type Theme = 'system' | 'light' | 'dark';

const STORED = 'theme';

export function storedTheme(): Theme {
  const theme = localStorage.getItem(STORED);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
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
