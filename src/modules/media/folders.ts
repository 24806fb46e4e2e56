/** How folders begin in which files are worked on, for the time being. */
export const FOLDER = 'kontor-media-'
