import '@pulse-card/widget';
import { createApp } from 'vue';
import Figures from './figures.vue';

createApp(Figures).mount('#root');
