import DefaultTheme from 'vitepress/theme';
import './colors.css';

/** The default theme, with colors that pass WCAG AA. */
export default DefaultTheme;
