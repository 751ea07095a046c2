/** Finds the folders of skills, and lists the files in them. */
import { readdir, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ConfigurationError } from '../index.ts'

export interface SkillFolder {
  readonly name: string
  /** Its real path. */
  readonly root: string
}

export const skillFile = 'SKILL.md'

const most = { skills: 500, files: 200, depth: 5, entries: 5000 } as const

/** The folder itself, where it has a `SKILL.md`, else the folders in it that have one. Sorted by name. */
export async function skillFolders(path: string): Promise<readonly SkillFolder[]> {
  const root = await realOf(path)
  const entries = await entriesOf(root)
  if (entries.some((entry) => entry.isFile() && entry.name === skillFile))
    return [{ name: basename(root), root }]
  const folders = entries.filter((entry) => entry.isDirectory() && !isHidden(entry.name))
  if (folders.length > most.skills)
    throw new ConfigurationError(
      `readSkills: ${path} has ${folders.length} folders. At most ${most.skills} are read.`,
    )
  const having = await Promise.all(
    folders.map(async ({ name }) => {
      const below = await entriesOf(join(root, name))
      return below.some((entry) => entry.isFile() && entry.name === skillFile)
        ? [{ name, root: join(root, name) }]
        : []
    }),
  )
  const skills = having.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (skills.length > 0) return skills
  throw new ConfigurationError(`readSkills: ${path} has no ${skillFile}, and no folder in it has one.`)
}

/** The files beside `SKILL.md`, as paths with "/": at most 200, five folders deep. Links and hidden files are left out. */
export async function filesIn(root: string): Promise<readonly string[]> {
  const files: string[] = []
  let seen = 0
  const folders = [{ path: '', depth: 0 }]
  for (const { path, depth } of folders) {
    for (const entry of await entriesOf(join(root, path))) {
      if (++seen > most.entries || files.length >= most.files) return files.toSorted()
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (isHidden(entry.name) || below === skillFile) continue
      if (entry.isDirectory() && depth < most.depth) folders.push({ path: below, depth: depth + 1 })
      else if (entry.isFile()) files.push(below)
    }
  }
  return files.toSorted()
}

/** A name that is not shown as it is could say something else to a model. */
function isHidden(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || !/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(name)
}

async function entriesOf(path: string) {
  const entries = await readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    throw new ConfigurationError(`readSkills: ${path} is no folder that can be read.`, { cause })
  })
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (cause) {
    throw new ConfigurationError(`readSkills: there is no folder ${path}.`, { cause })
  }
}
