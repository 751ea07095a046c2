/** Vite for servers: in development, where a module is edited and runs anew, and as a bundle with everything in it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { build, createServer } from 'vite'

const common = { configFile: false, root: process.cwd(), logLevel: 'warn' }
const server = await createServer({
  ...common,
  appType: 'custom',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
})
for (const edit of ['', '// An edit.\n']) {
  writeFileSync('vite-app.mjs', edit + readFileSync('vite-app.mjs', 'utf8'))
  server.moduleGraph.invalidateAll()
  const { page, pageOfAnother } = await server.ssrLoadModule('/vite-app.mjs')
  const answered = await page()
  if (answered !== 'completed Here.') throw new Error(`It answered: ${answered}`)
  const refusal = await pageOfAnother().catch((error) => error.message)
  if (!refusal.includes('globalThis')) throw new Error(`It said: ${refusal}`)
}
await server.close()

await build({
  ...common,
  ssr: { noExternal: true },
  build: {
    ssr: 'names.mjs',
    outDir: 'vite-bundle',
    minify: true,
    rolldownOptions: { output: { entryFileNames: 'names.mjs' } },
  },
})
