/**
 * The pages for those who come from another framework: the programs of each page, run with the peer itself and with Troupe, must print
 * the same. And the caps of the peers, by their defaults: `docs/reference/defaults.md` must name them. `npm run bench:migrations`, or
 * `npm run bench:migrations -- --folder <path>` to keep what was installed.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pages, programsIn, root } from './migrations/pages.ts'
import { installPeer } from './peers/install.ts'

const { values } = parseArgs({ options: { folder: { type: 'string' } } })
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'troupe-migrations-'))
const programs = join(import.meta.dirname, 'migrations')
const troupeModel = join(programs, 'models/troupe.mjs')

function installed(peer: string): string {
  const place = installPeer(peer, folder)
  for (const part of ['models', 'caps']) cpSync(join(programs, part), join(place, part), { recursive: true })
  return place
}

function printed(args: readonly string[], cwd: string, input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd,
    input,
    encoding: 'utf8',
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`A program in ${cwd} ended with ${status}:\n${stdout}${stderr}`)
  return stdout.trim()
}

function ofPeer(peer: string, program: string): string {
  const place = installed(peer)
  writeFileSync(join(place, 'model.mjs'), `export { model } from './models/${peer}.mjs'\n`)
  writeFileSync(join(place, 'program.mjs'), program)
  return printed(['program.mjs'], place)
}

/** With the model in the place of that of the page: else as it stands there. */
function ofTroupe(program: string): string {
  const changed = program.replaceAll(/openai\('[^)]*\)/g, 'scripted')
  const text = `import { model as scripted } from ${JSON.stringify(troupeModel)}\n${changed}`
  return printed(['--conditions=troupe-source', '--input-type=module-typescript'], root, text)
}

function comparePages(): readonly string[] {
  return Object.entries(pages).flatMap(([peer, page]) => {
    const { peer: theirs, troupe: ours } = programsIn(page)
    const [said, saidHere] = [ofPeer(peer, theirs), ofTroupe(ours)]
    console.log(`${page}\n  ${peer}: ${said}\n  troupe: ${saidHere}`)
    return said === saidHere && said !== '' ? [] : [`${page}: the programs print different texts.`]
  })
}

/** What an agent that never answers does, by the defaults of each peer. */
function compareCaps(): readonly string[] {
  const text = readFileSync(join(root, 'docs/reference/defaults.md'), 'utf8')
  return ['langgraph', 'ai', 'openai-agents', 'mastra'].flatMap((peer) => {
    const caps = JSON.parse(printed([`caps/${peer}.mjs`], installed(peer))) as Record<
      string,
      [number, string]
    >
    console.log(peer, caps)
    return Object.entries(caps).flatMap(([name, [calls, end]]) =>
      text.includes(`\`${name}\`: ${calls} calls, then \`${end}\``)
        ? []
        : [
            `docs/reference/defaults.md does not say of ${peer}: \`${name}\`: ${calls} calls, then \`${end}\``,
          ],
    )
  })
}

try {
  const faults = [...comparePages(), ...compareCaps()]
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
}
