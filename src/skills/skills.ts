/** `readSkills`: folders with a `SKILL.md` become a catalogue for instructions, and tools that load what is in them. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ConfigurationError, TerminalError, createTool, type Tool } from '../index.ts'
import {
  aFunction,
  aName,
  defaultsOf,
  optional,
  positiveInteger,
  readOptions,
  withDefault,
  type Fields,
} from '../kit/index.ts'
import { filesIn, skillFile, skillFolders, type SkillFolder } from './folders.ts'
import { readFrontMatter } from './front-matter.ts'
import { readText, Unreadable } from './read-text.ts'

/** The options of `readSkills`. */
export interface SkillsOptions {
  /** The most bytes of a `SKILL.md`, and of each file that a model reads. Default: 262 144. */
  readonly maxBytes?: number
  /** Is told of each skill that does not follow the format, which is left out then. Default: such a skill is an error. */
  readonly onInvalid?: (error: ConfigurationError) => void
}

/** A skill that was read. */
export interface Skill {
  /** Letters, digits and hyphens, at most 64: the name of its folder. */
  readonly name: string
  /** What it does, and when to use it: at most 1024 characters. */
  readonly description: string
  /** SHA-256 of its `SKILL.md`, in hex. */
  readonly digest: string
  /** The files beside its `SKILL.md`, at most 200. */
  readonly files: readonly string[]
}

/** A skill as a model has loaded it. */
export interface LoadedSkill extends Skill {
  /** The text of its `SKILL.md` without the front matter. */
  readonly instructions: string
}

/** A file of a skill as a model has read it. */
export interface SkillFile {
  readonly skill: string
  readonly path: string
  /** SHA-256 of the file, in hex. */
  readonly digest: string
  readonly text: string
}

/** Skills for an agent. */
export interface Skills {
  /** Sorted by folder, then by name. */
  readonly list: readonly Skill[]
  /** The names and descriptions, for the instructions of the agent. */
  readonly instructions: string
  /** `load-skill` gives the text of a skill, and `read-skill-file` a file beside it. */
  readonly tools: {
    readonly 'load-skill': Tool<LoadedSkill>
    readonly 'read-skill-file': Tool<SkillFile>
  }
}

const fields = {
  maxBytes: withDefault(positiveInteger, 262_144),
  onInvalid: optional(aFunction),
} satisfies Fields<SkillsOptions>

interface Found extends LoadedSkill {
  readonly root: string
}

/**
 * Reads the skills of folders: each is the folder of a skill, or holds folders of skills. The text of each `SKILL.md` is read
 * now, and other files when a model asks for them. Rejects with a `ConfigurationError` for a folder without skills, a
 * `SKILL.md` that does not follow the format, and two skills of one name.
 * @experimental
 */
export async function readSkills(
  folders: string | readonly string[],
  options: SkillsOptions = {},
): Promise<Skills> {
  const read = readOptions<SkillsOptions>(options, 'readSkills', fields)
  const { maxBytes, onInvalid } = { ...defaultsOf(fields), ...read }
  const paths = [folders].flat()
  for (const path of paths) aName(path, 'readSkills: each folder')
  const places = await Promise.all(paths.map((path) => skillFolders(path)))
  const settled = await Promise.allSettled(places.flat().map((place) => skillIn(place, maxBytes)))
  const found: Found[] = []
  for (const one of settled)
    if (one.status === 'fulfilled') found.push(one.value)
    else await leaveOut(one.reason, onInvalid)
  const byName = new Map<string, Found>()
  for (const skill of found) {
    const first = byName.get(skill.name)
    if (first !== undefined)
      throw new ConfigurationError(
        `readSkills: two skills are named "${skill.name}": ${first.root} and ${skill.root}.`,
      )
    byName.set(skill.name, skill)
  }
  if (found.length === 0)
    throw new ConfigurationError(`readSkills: no skill in ${paths.join(', ')} follows the format.`)
  const list = found.map(({ name, description, digest, files }) => ({ name, description, digest, files }))
  return { list, instructions: catalogueOf(list), tools: toolsFor(byName, maxBytes) }
}

/** Leaves out what does not follow the format, where somebody is told. */
async function leaveOut(error: unknown, onInvalid: SkillsOptions['onInvalid']): Promise<void> {
  if (onInvalid === undefined || !(error instanceof ConfigurationError)) throw error
  await (onInvalid(error) as unknown)
}

async function skillIn({ name: folder, root }: SkillFolder, maxBytes: number): Promise<Found> {
  const where = `readSkills: ${root}/${skillFile}`
  const { text, digest } = await readText(root, skillFile, maxBytes).catch((error: unknown) => {
    if (!(error instanceof Unreadable)) throw error
    throw new ConfigurationError(`${where}: ${error.message}`)
  })
  const { name, description, body } = readFrontMatter(text, folder, where)
  return { name, description, digest, files: await filesIn(root), instructions: body, root }
}

const rules =
  'Skills are instructions for tasks of one kind. Where a task fits a description, call load-skill with the name first, and follow its text.'

function catalogueOf(list: readonly Skill[]): string {
  const skills = list.flatMap(({ name, description }) => [
    '<skill>',
    `<name>${escaped(name)}</name>`,
    `<description>${escaped(description)}</description>`,
    '</skill>',
  ])
  return [rules, '<available_skills>', ...skills, '</available_skills>'].join('\n')
}

/** A description cannot end its element. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The edition makes a text that was edited a change of the agent, which its runs tell as drift. */
function toolsFor(skills: ReadonlyMap<string, Found>, maxBytes: number): Skills['tools'] {
  const digests = [...skills.values()].map(({ digest }) => digest).join()
  const edition = createHash('sha256').update(digests).digest('hex').slice(0, 8)
  const name = z.enum([...skills.keys()]).describe('The name of the skill')
  const skillOf = (asked: string): Found => {
    const skill = skills.get(asked)
    if (skill !== undefined) return skill
    throw unreadable('There is no such skill.') // the schema names all that there are
  }
  return {
    'load-skill': createTool({
      id: 'load-skill',
      description: `Loads the instructions of a skill. Edition ${edition}.`,
      inputSchema: z.object({ name }),
      repeatable: true,
      execute: (input): LoadedSkill => {
        const { root: _root, ...skill } = skillOf(input.name)
        return skill
      },
    }),
    'read-skill-file': createTool({
      id: 'read-skill-file',
      description: 'Reads a text file of a skill that was loaded. Scripts are read, and not run.',
      inputSchema: z.object({
        name,
        path: z
          .string()
          .describe('The path of the file in the folder of the skill, such as references/forms.md'),
      }),
      repeatable: true,
      execute: async (input): Promise<SkillFile> => {
        const { root, name: skill } = skillOf(input.name)
        const file = await readText(root, input.path, maxBytes).catch((error: unknown) => {
          throw error instanceof Unreadable ? unreadable(error.message) : error
        })
        return { skill, path: input.path, ...file }
      },
    }),
  }
}

function unreadable(message: string): TerminalError {
  return new TerminalError(message, { code: 'SKILL_UNREADABLE' })
}
