// The content is made by scripts/site; the settings that depend on it come from site/content/site.json.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'

/** @type {{ base: string, repository: string, sidebar: import('vitepress').DefaultTheme.Sidebar }} */
const { base, sidebar, repository } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../content/site.json'), 'utf8'),
)

export default defineConfig({
  title: 'Troupe',
  description: 'Multi-agent systems in TypeScript in which every agent is a statechart.',
  lang: 'en',
  base,
  srcDir: 'content',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  cleanUrls: false,
  lastUpdated: false,
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'troupe-run' } } },
  themeConfig: {
    outline: { level: [2, 3] },
    nav: [
      { text: 'Learn', link: '/learn/', activeMatch: '^/learn/' },
      { text: 'Patterns', link: '/patterns/', activeMatch: '^/patterns/' },
      { text: 'Guide', link: '/map', activeMatch: '^/(guide|map)' },
      { text: 'Run', link: '/run/durability', activeMatch: '^/run/' },
      { text: 'Test', link: '/test/explore', activeMatch: '^/test/' },
      { text: 'Debug', link: '/debug', activeMatch: '^/debug' },
      { text: 'Reference', link: '/reference/api/', activeMatch: '^/reference/' },
      { text: 'Why', link: '/why/', activeMatch: '^/why' },
    ],
    sidebar,
    socialLinks: [{ icon: 'github', link: repository }],
    search: { provider: 'local' },
  },
})
