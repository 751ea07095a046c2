/**
 * Builds the site into site/dist: `npm run site`. It has all that it shows: no page asks another server. Links are checked, a
 * Markdown file stands beside each page, and `llms.txt` lists them.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePage, folder as page } from '../page/build-page.ts'
import { readManifest, root } from '../release/manifest.ts'
import { content, writeContent } from './content.ts'

process.env['PACE'] = '0'
const { writeRecordings } = await import('./recordings.ts')
const site = join(root, 'site')
const dist = join(site, 'dist')

await ensurePage()
for (const folder of [content, dist]) rmSync(folder, { recursive: true, force: true })
const pages = writeContent()
await writeRecordings(join(content, 'public/recordings'))
copyFileSync(join(page, 'troupe-run.js'), join(content, 'public/troupe-run.js'))
if (!existsSync(join(site, 'node_modules/vitepress'))) run('npm', ['ci', '--no-audit', '--no-fund'])
run(process.execPath, [join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build', '.'])

for (const { place } of pages) copyFileSync(join(content, place), join(dist, place))
const { homepage } = readManifest()
const lines = pages.map(({ place, title }) => `- [${title.replaceAll('`', '')}](${homepage}${place})`)
writeFileSync(
  join(dist, 'llms.txt'),
  `# Troupe\n\n> Multi-agent systems in TypeScript in which every agent is a statechart that runs as an actor.\n\n## Pages\n\n${lines.join('\n')}\n`,
)

const asking = globSync('**/*.{html,css}', { cwd: dist }).flatMap((file) => {
  const text = readFileSync(join(dist, file), 'utf8').replaceAll(/<pre[^]*?<\/pre>/g, '')
  const found = text.match(
    /<(?:script|img|iframe|source)[^>]*\ssrc="https?:[^"]*"|<link[^>]*\shref="https?:[^"]*"|url\(["']?https?:[^)]*\)/g,
  )
  return (found ?? []).map((request) => `${file}: ${request}`)
})
if (asking.length > 0) throw new Error(`Pages ask other servers:\n${asking.join('\n')}`)
console.log(`${pages.length} pages in site/dist.`)

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: site, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}.`)
}
