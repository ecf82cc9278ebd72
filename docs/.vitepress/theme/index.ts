import DefaultTheme from 'vitepress/theme';
import './colors.css';

/** The default theme, with colors that pass WCAG AA. */
// eslint-disable-next-line import/no-default-export -- VitePress requires it
export default DefaultTheme;
