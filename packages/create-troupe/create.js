#!/usr/bin/env node
/**
 * Makes an app in a folder: it copies `template`, installs, and starts. It writes into a new or an empty folder alone, and
 * executes nothing but npm.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const help = `Makes an app with an agent.

  npx create-troupe <folder>            an empty folder, or a new one; "." is the folder in which you are
  npx create-troupe <folder> --start    the same, and starts the app

  --troupe <package>    what to install as troupe: a version, or the path of a tarball. Default: latest
  --no-install          copies the files alone
  --help                this text
`

const options = {
  troupe: { type: 'string', default: 'latest' },
  start: { type: 'boolean', default: false },
  'no-install': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
}

/** Names that npm writes into an empty folder, or that an editor or git has there. */
const harmless = new Set(['.git', '.idea', '.vscode', '.DS_Store'])

try {
  process.exitCode = create(process.argv.slice(2))
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\nSee create-troupe --help.`)
  process.exitCode = 1
}

function create(args) {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (values.help) {
    console.log(help)
    return 0
  }
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0)
    throw new Error('Name one folder, for example: create-troupe my-app')
  const folder = resolve(name)
  const inTheWay = existsSync(folder) ? readdirSync(folder).find((file) => !harmless.has(file)) : undefined
  if (inTheWay !== undefined)
    throw new Error(`The folder ${folder} has "${inTheWay}" in it. Name an empty folder, or a new one.`)
  mkdirSync(folder, { recursive: true })
  cpSync(join(import.meta.dirname, 'template'), folder, { recursive: true })
  // npm leaves a file of this name out of a package.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'))
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  manifest.name = packageName(basename(folder))
  manifest.dependencies.troupe = versionOf(values.troupe)
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
  console.log(`The app is in ${folder}.`)
  if (values['no-install']) return 0
  const installed = npm(['install', '--no-audit', '--no-fund', '--loglevel=error'], folder)
  if (installed !== 0) return installed
  if (values.start) return npm(['start'], folder)
  const into = name === '.' ? '' : `  cd ${name}\n`
  console.log(
    `\n${into}  npm start    starts it, without a key\n  npm test     goes through every order of events`,
  )
  return 0
}

/** A path is seen from the folder of the app. */
function versionOf(wanted) {
  return existsSync(wanted) ? `file:${resolve(wanted)}` : wanted
}

function packageName(name) {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'my-app'
  )
}

function npm(args, cwd) {
  const { status, error } = spawnSync('npm', args, {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error !== undefined) throw error
  return status ?? 1
}
