-- Nothing of the files is damaged or missing.
SELECT text FROM problem WHERE kind <> 'input'
