import { Editor, Extension } from '@tiptap/core'
import { history, redo, undo } from '@tiptap/pm/history'
import { DOMParser as Reader } from '@tiptap/pm/model'
import { Selection } from '@tiptap/pm/state'
import { cleanPasted } from './paste.ts'
import { EXTENSIONS } from './schema.ts'
import { toHtml } from './to-html.ts'
import { type ChipOf, Variables } from './variables.ts'

const History = Extension.create({
  name: 'history',
  addProseMirrorPlugins: () => [history()],
  addKeyboardShortcuts() {
    const run = (command: typeof undo) => () => command(this.editor.state, this.editor.view.dispatch)
    return { 'Mod-z': run(undo), 'Mod-Shift-z': run(redo), 'Mod-y': run(redo) }
  },
})

type Options = {
  element: HTMLElement | null
  html: string
  attributes?: Record<string, string>
  isEditable?: boolean
  /** A letter: what is written between braces differs from reader to reader. */
  hasVariables?: boolean
  /** What a variable is called, by what stands between its braces. */
  chipOf?: ChipOf
  onChange?: (html: string) => void
}

/** The text editor, without anything around it. */
export function createEditor(options: Options): Editor {
  const { element, html, attributes = {}, isEditable = true, hasVariables = false, chipOf, onChange } = options
  const editor = new Editor({
    element,
    extensions: [...EXTENSIONS, History, ...(hasVariables ? [Variables.configure({ chipOf })] : [])],
    editable: isEditable,
    injectCSS: false, // the policy of the page lets no styles in that a script writes
    editorProps: { attributes, transformPastedHTML: cleanPasted },
    onUpdate: ({ editor: now }) => onChange?.(toHtml(now.state.doc)),
  })
  setHtml(editor, html)
  return editor
}

/** Shows this text. Nobody has typed it: it is not told as a change, and cannot be taken back. */
export function setHtml(editor: Editor, html: string): void {
  const { state, view } = editor
  const doc = readHtml(editor, html)
  if (doc.eq(state.doc)) return
  const change = state.tr.replaceWith(0, state.doc.content.size, doc.content)
  change.setSelection(Selection.atStart(change.doc))
  view.dispatch(change.setMeta('addToHistory', false).setMeta('preventUpdate', true))
}

export function readHtml(editor: Editor, html: string) {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return Reader.fromSchema(editor.schema).parse(body)
}

export const htmlOf = (editor: Editor) => toHtml(editor.state.doc)
