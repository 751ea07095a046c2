/** `npm run build`: the modules, the page of the inspector, and the declarations that an entry reaches, one for each source file. */
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildPage } from '../page/build-page.ts'
import { compactDeclarations } from './compact-declarations.ts'
import { buildModules, dist, root, subpaths } from './modules.ts'
import { reachedDeclarations } from './reached-declarations.ts'
import { removeOthers } from './remove-others.ts'
import { vendorTypes } from './vendored-types.ts'

rmSync(dist, { recursive: true, force: true })
await buildModules()
await buildPage()
for (const name of Object.keys(subpaths()))
  writeFileSync(join(dist, `${name}.d.cts`), `export * from './${basename(name)}.js'\n`)

const compiler = join(root, 'node_modules/typescript/bin/tsc')
const { status, error } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
if (error !== undefined) throw error
if (status !== 0) throw new Error(`tsc ended with ${status}.`)
vendorTypes(root, dist)
const entries = Object.keys(subpaths()).map((name) => join(dist, `${name}.d.ts`))
const reached = [...reachedDeclarations(entries)]
removeOthers(dist, /\.d\.ts$/, reached)
compactDeclarations(reached)
