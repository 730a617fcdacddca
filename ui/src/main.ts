import { mount } from 'svelte'
import './styles/tokens.css'
import './styles/base.css'
import './styles/ansi.css'
import App from './App.svelte'

const target = document.getElementById('app')
if (!target) throw new Error('the page has no element for the application')
mount(App, { target })
