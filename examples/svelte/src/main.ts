import '@pulse-card/widget';
import { mount } from 'svelte';
import Figures from './figures.svelte';

const target = document.querySelector('#root');
if (target) mount(Figures, { target });
