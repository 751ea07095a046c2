/**
 * Does what the chapters of the README say, to the letter, in an empty folder, with the packed package: the commands, the
 * files and their code, and the printed output. The model server of the tests answers, which speaks the real protocol.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ReadmeServer } from '../test/support/readme-server.ts'
import { deedsOf } from './readme-chapter.ts'
import { root, StrangerProject, strangersEnvironment } from './stranger-project.ts'

const chapters = ['Quickstart', 'Every order, tested']
const readme = readFileSync(join(root, 'README.md'), 'utf8')

using project = new StrangerProject()
await using server = await ReadmeServer.start()

/** The empty folder that the README speaks of. */
const folder = join(project.directory, 'my-agents')
mkdirSync(folder)

const env = {
  ...strangersEnvironment(project.home),
  OPENAI_BASE_URL: server.baseURL,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_loglevel: 'error',
}

async function run(command: string): Promise<string> {
  console.log(`\n$ ${command}`)
  const told = command
    .replace('OPENAI_API_KEY=… ', 'OPENAI_API_KEY=test-key-of-the-readme ')
    // The package of this tree, and not that of the registry.
    .replace(/^npm install troupe /, `npm install ${project.tarball} `)
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', told], { cwd: folder, env })
  process.stdout.write(stdout)
  if (command === 'npm init -y') pinType()
  if (stderr !== '') throw new Error(`It wrote to stderr:\n${stderr}`)
  return stdout
}

/** npm 11 begins a project as CommonJS; older ones leave that open. */
function pinType(): void {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ type: 'commonjs', ...manifest }))
}

let printed = ''
for (const chapter of chapters) {
  for (const deed of deedsOf(readme, chapter)) {
    switch (deed.kind) {
      case 'write':
        console.log(`\n(${deed.file})`)
        writeFileSync(join(folder, deed.file), deed.code)
        break
      case 'run':
        for (const command of deed.commands) printed = await run(command)
        break
      case 'expect':
        if (printed.trimEnd() === deed.output) break
        throw new Error(`"${chapter}" printed:\n${printed}\nand not:\n${deed.output}`)
    }
  }
}

// Two children of one source whose order matters are covered, both ways.
copyFileSync(join(import.meta.dirname, 'supported/both-orders.mts'), join(folder, 'both-orders.mts'))
await run('node both-orders.mts')
console.log('\nThe README does what it says.')
