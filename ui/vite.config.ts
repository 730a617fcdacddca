import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { licences } from './licences.ts'

/** While the pages are worked on: where the server runs. */
const proxy = { '/api': process.env['LOGBOOM_URL'] ?? 'http://127.0.0.1:7300' }

export default defineConfig({
  plugins: [svelte(), licences()],
  base: '/ui/',
  build: {
    outDir: '../src/logboom/ui/pages',
    emptyOutDir: true,
    assetsDir: '',
    // The content policy allows no data: fonts or scripts, so nothing is put into the page itself.
    assetsInlineLimit: 0,
    // Few files: each costs a turn, and what pages share is small.
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } } },
    modulePreload: { polyfill: false },
    target: 'es2023',
    // The editor is most of it; whoever explores needs it at once.
    chunkSizeWarningLimit: 600,
  },
  server: { proxy },
  preview: { proxy },
})
