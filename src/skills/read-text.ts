/**
 * Reads a text file below a folder, bounded: no way out of the folder, no link, no device, no hidden file, no binary, no file that
 * is too long.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** Why a file is not read, in words that are for models. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

export interface TextFile {
  /** Without a byte order mark. */
  readonly text: string
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string
}

/** `root`: the real path of the folder. `path`: relative, with "/" between its parts. */
export async function readText(root: string, path: string, most: number): Promise<TextFile> {
  if (!isBelow(path))
    throw new Unreadable('The path must be relative to the folder of the skill, and stay in it.')
  if (/(?:^|\/)\./.test(path)) throw new Unreadable('Hidden files are not read.')
  const file = join(root, ...path.split('/'))
  // Every link on the way leads elsewhere than the path says.
  if ((await found(realpath(file))) !== file) throw new Unreadable('Links are not followed.')
  const handle = await found(open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Unreadable('It is no file.')
    if (stats.size > most) throw tooLong(most)
    const bytes = new Uint8Array(stats.size + 1) // a file may grow while it is read
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length)
      if (bytesRead === 0) break
      length += bytesRead
      if (length > stats.size) throw new Unreadable('The file was written while it was read.')
    }
    const read = bytes.subarray(0, length)
    return { text: decoded(read), digest: createHash('sha256').update(read).digest('hex') }
  } finally {
    await handle.close()
  }
}

/** Whether a relative path stays below the folder that it is relative to. */
function isBelow(path: string): boolean {
  if (path === '' || path.length > 500 || /[\0\\:]/.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

async function found<Value>(reading: Promise<Value>): Promise<Value> {
  try {
    return await reading
  } catch {
    throw new Unreadable('There is no such file.')
  }
}

function tooLong(most: number): Unreadable {
  return new Unreadable(`The file is too long: at most ${most} bytes are read.`)
}

function decoded(bytes: Uint8Array): string {
  if (bytes.includes(0)) throw new Unreadable('The file is no text.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Unreadable('The file is no text in UTF-8.')
  }
}
