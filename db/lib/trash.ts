/** How long deleted rows stay in the trash and can be restored (D39). */
export const trashRetentionMs = 30 * 86_400_000;
